local a, b = 1, 2
local lt = a < b
local eq = a ==
  b
local ge = a
  >= b
local t = {a ~= b, a > b,
  a <= b}
return {lt and 1 or 0, eq and 1 or 0, ge and 1 or 0, #t}
