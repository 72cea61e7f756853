local found
for i = 1, 3 do
  local j = 0
  while true do
    j = j + 1
    if j * i == 4 then
      found = i
      break
    end
    if j > 4 then break end
  end
end
return found
