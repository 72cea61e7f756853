local sum = 0
for i = 1, 5 do
  sum = sum + i
end
for i = 10, 1, -3 do
  sum = sum - i
end
for i = 1, 0 do
  sum = 1000
end
return sum
