local t = {[-3]
  = nil}
t[-1] = -2
t[- 1
  - 1] = -
  3
local z = -0
local y = 2 ^ -
  1
return t[-2]
