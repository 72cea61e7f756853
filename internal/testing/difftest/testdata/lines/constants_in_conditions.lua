local function f() return 1 end
local a = false and f()
local b = nil or f()
local c = 1 and
  f()
local d = true or
  f()
if true then
  a = 1
end
if nil and f() then
  b = 2
elseif false then
  b = 3
end
local e = 'x' and nil
  or 2
return {a, b, c, d, e}
