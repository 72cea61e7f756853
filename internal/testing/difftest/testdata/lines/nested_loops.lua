local count = 0
for i = 1, 3 do
  for j = i, 3 do
    if i == j then
      count = count + 10
    else
      count = count + 1
    end
  end
end
return count
