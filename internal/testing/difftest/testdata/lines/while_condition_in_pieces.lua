local i = 0
while i < 3
  and
  i ~= 10
do
  i = i + 1
end
return i
