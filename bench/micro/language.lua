--- numeric loop, sum
local sum = 0
for i = 1, 200000 do sum = sum + i end
return sum

--- arithmetic
local x, y = 1, 0
for i = 1, 50000 do
  x = x * 3 - i / 7
  if x > 1e6 then x = x - 1e6 end
  y = y + x * 0.5 - 2
end
return math.floor(y / 1e6)

--- modulo and power
local sum = 0
for i = 1, 30000 do sum = sum + i % 7 + (i % 10) ^ 2 end
return sum

--- comparison and branches
local a, b, c = 0, 0, 0
for i = 1, 60000 do
  local m = i - a
  if m < b then a = a + 1 elseif m == c then b = b + 1 elseif i >= 30000 then c = c + 1 else b = b + 2 end
end
return a + b + c

--- while loop, and, or, not
local i, n = 0, 0
while i < 60000 do
  i = i + 1
  local odd = i % 2 == 1
  if odd and not (i > 50000) or i == 7 then n = n + 1 end
end
return n

--- string comparison
local names, n = {'apple', 'banana', 'cherry', 'apple'}, 0
for i = 1, 30000 do
  local name = names[i % 4 + 1]
  if name == 'apple' then n = n + 1 elseif name < 'banan' then n = n + 2 end
end
return n

--- recursion (fib)
local function fib(n)
  if n < 2 then return n end
  return fib(n - 1) + fib(n - 2)
end
return fib(21)

--- function calls
local function add(a, b) return a + b end
local sum = 0
for i = 1, 50000 do sum = add(sum, i) end
return sum

--- closures
local sum = 0
for i = 1, 20000 do
  local f = function() return i end
  sum = sum + f()
end
return sum

--- upvalues
local count = 0
local function inc() count = count + 1 end
for i = 1, 50000 do inc() end
return count

--- methods by __index
local Account = {}
Account.__index = Account
function Account.new() return setmetatable({balance = 0}, Account) end
function Account:deposit(n) self.balance = self.balance + n end
function Account:get() return self.balance end
local a, sum = Account.new(), 0
for i = 1, 20000 do
  a:deposit(1)
  sum = sum + a:get()
end
return sum

--- operators by metatable
local V = {}
V.__add = function(a, b) return setmetatable({x = a.x + b.x}, V) end
V.__eq = function(a, b) return a.x == b.x end
local one, v, same = setmetatable({x = 1}, V), setmetatable({x = 0}, V), 0
for i = 1, 8000 do
  v = v + one
  if v == one then same = same + 1 end
end
return v.x + same

--- varargs
local function sum(...)
  local a, b, c = ...
  return a + b + c
end
local n = 0
for i = 1, 20000 do n = n + sum(i, 1, 2) end
return n

--- select
local function last(...) return (select(select('#', ...), ...)) end
local n = 0
for i = 1, 20000 do n = n + last(1, 2, i) end
return n

--- {...} and #
local function count(...)
  local t = {...}
  return #t
end
local n = 0
for i = 1, 20000 do n = n + count(i, i, i) end
return n

--- pcall
local function f(x) return x + 1 end
local n = 0
for i = 1, 20000 do
  local ok, v = pcall(f, n)
  n = v
end
return n

--- pcall of an error
local function f() error('no', 0) end
local n = 0
for i = 1, 3000 do
  local ok, e = pcall(f)
  if not ok and e == 'no' then n = n + 1 end
end
return n

--- coroutine: 20000 yields
local co = coroutine.wrap(function()
  for i = 1, 20000 do coroutine.yield(i) end
end)
local sum = 0
for i = 1, 20000 do sum = sum + co() end
return sum

--- coroutine: 1000 begun and ended
local sum = 0
for i = 1, 1000 do
  local co = coroutine.create(function(a)
    local b = coroutine.yield(a + 1)
    return a + b
  end)
  local _, a = coroutine.resume(co, i)
  local _, b = coroutine.resume(co, a)
  sum = sum + b
end
return sum

--- sieve
local n, composite = 0, {}
for i = 2, 20000 do
  if not composite[i] then
    n = n + 1
    for j = i * i, 20000, i do composite[j] = true end
  end
end
return n

--- math functions
local sum = 0
for i = 1, 20000 do sum = sum + math.floor(i / 3) + math.max(i, 5) - math.min(i, 7) end
return sum

--- type and globals
local n = 0
for i = 1, 30000 do
  if type(i) == 'number' then n = n + 1 end
end
return n
