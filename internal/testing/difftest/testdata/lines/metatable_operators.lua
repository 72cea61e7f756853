local V = {}
V.__index = V
local function new(x)
  return setmetatable({x = x}, V)
end
V.__add = function(a, b) return new(a.x + b.x) end
V.__eq = function(a, b)
  return a.x == b.x
end
V.__lt = function(a, b) return a.x < b.x end
V.__le = function(a, b)
  return a.x <= b.x
end
V.__concat = function(a, b)
  return a.x .. '|' .. b.x
end
V.__unm = function(a) return new(-a.x) end
V.__call = function(self, y)
  return self.x + y
end
local a, b = new(1), new(2)
local c = a +
  b
local out = {c.x, -c == new(-3) and 1 or 0, a .. b, c(4)}
if a < b and not (b <= a) then
  out[#out + 1] = 'less'
end
while a < b do
  a = a + new(1)
end
return out
