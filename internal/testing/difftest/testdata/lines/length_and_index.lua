local t = {{1, 2}, {3}}
local n = #t +
  #t[
  1]
local v = t
  [1]
  [2]
t[1]
  [2] = v +
  n
return t[1][2]
