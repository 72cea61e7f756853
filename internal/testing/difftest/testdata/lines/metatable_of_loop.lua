local range = setmetatable({}, {__call = function(self, n, i)
  i = (i or 0) + 1
  if i <= n then return i end
end})
local sum = 0
for i in range, 3 do
  sum = sum + i
end
return sum
