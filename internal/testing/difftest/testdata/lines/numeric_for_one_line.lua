local n = 0
for i = 1, 4 do n = n + i end
return n
