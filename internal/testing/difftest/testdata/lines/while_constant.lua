local n = 0
while 1 do
  n = n + 1
  if n > 2 then break end
end
while false do
  n = 100
end
while nil do n = 200 end
return n
