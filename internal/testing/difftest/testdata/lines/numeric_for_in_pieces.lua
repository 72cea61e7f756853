local sum = 0
for i =
  1,
  4,
  2
do
  sum = sum
    + i
end
return sum
