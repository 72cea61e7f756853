local function pick(a, b)
  return a and b or 'none'
end
local x = pick(1, 2)
local y = pick(nil, 2)
local z = x == 2
  and y
  or x
local w = (x or y) and (y and
  x)
return {x, y, z, w}
