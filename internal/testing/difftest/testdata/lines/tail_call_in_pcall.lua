local function inner(x)
  if x > 1 then error('big', 0) end
  return x
end
local function outer(x)
  return pcall(inner, x)
end
local a, b = outer(1)
local c, d = outer(2)
return {b, d}
