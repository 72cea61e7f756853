local n = 0
repeat
  n = n + 1
  if n == 2 then
    break
  end
until false
repeat n = n + 1 until n > 5
return n
