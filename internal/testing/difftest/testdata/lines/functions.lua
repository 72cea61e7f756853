local function add(a, b)
  return a + b
end
local function twice(f, x)
  local y = f(x, x)
  return f(y, y)
end
return twice(add, 3)
