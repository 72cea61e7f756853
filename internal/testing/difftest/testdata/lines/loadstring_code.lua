local f = loadstring('local a = 1\nlocal b = 2\nreturn a + b')
local n = f()
local g = loadstring('return ...')
return n + g(
  3)
