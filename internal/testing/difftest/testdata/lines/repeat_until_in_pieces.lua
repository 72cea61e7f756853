local n = 0
repeat
  n = n + 1
until n > 1
  and n < 10
  or n == 100
return n
