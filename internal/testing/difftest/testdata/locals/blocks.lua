local a = 1
local b, c = 2
do
  local a = 3
  local d = a + b
  d = d + 1
end
local e = 'text\n"quoted"'
for i = 1, 2 do
  local j = i * 2
  b = b + j
end
for k, v in pairs({x = 1}) do
  local w = v
  b = b + w
end
while b > 5 do
  local n = b
  b = n - 5
end
repeat
  local m = b
  b = b + 1
until m > 3
if a then
  local t = {1}
  t[1] = 2
elseif b then
  local u = 1
  u = 2
else
  local x = 1
  x = 2
end
local function f(p, q, ...)
  local r = p
  local arg = arg
  return r
end
local function g(n)
  if n == 0 then
    return 0
  end
  return g(n - 1)
end
local t = {}
function t.m(x)
  local y = x
  return y
end
function t:n(x)
  local y = self
  return x
end
f(1, 2, 3)
g(2)
t.m(1)
t:n(2)
local h = function()
  a = a + 1
  return a
end
h()
pcall(h)
table.sort({2, 1}, function(l, r)
  return l < r
end)
local mt = setmetatable({}, {__index = function(tb, key)
  local key = key
  return key
end})
local z = mt.z
for x in (function()
  local done = a
  a = a + 1
  if a < 5 then
    return a
  end
end) do
  local y = x
end
local co = coroutine.wrap(function(x)
  local y = x
  y = coroutine.yield(y)
  return y
end)
co(1)
co(2)
local p, q, r = f, g
local inf, nan, big, small = 1/0, 0/0, 2^53, 1e-7
return nil, true
