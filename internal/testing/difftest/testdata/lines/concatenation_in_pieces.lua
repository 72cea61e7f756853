local a, b = 'a', 'b'
local s = a ..
  b ..
  'c'
  .. 1
  .. a
local t = a .. (b
  .. a)
return s .. t
