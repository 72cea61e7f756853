local function f(...)
  return select('#', ...)
end
local n = f(
  1,
  f(
    2,
    3
  ),
  4
)
n = n + f(1,
  2)
return n
