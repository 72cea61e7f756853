local a, b, c = 1, 2, 3
local d = a +
  b *
  c
  - a
local e = 1 +
  2 +
  3
local f = (a
  + b)
  * (
  c)
local g = -
  a
local h = a % b ^
  c / 2
return {d, e, f, g, h}
