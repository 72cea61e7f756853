#!lua
local n = 0
for i = 1, 3 do
  n = n + i
end
return n
