local fs = {}
for i = 1, 3 do
  fs[i] = function(x)
    i = i + x
    return i
  end
end
local sum = 0
for j = 1, 3 do
  sum = sum + fs[j](j)
end
return sum
