-- Functions of code that the script loads itself are not counted.
-- call
-- line 4 --> 1
local f = loadstring([[
  local n = 0
  for i = 1, 10 do n = n + i end
  return n
]])
local g = loadstring('return function() return 1 end')() --> 1
return f() + g()                           --> 1
