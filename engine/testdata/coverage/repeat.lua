-- call , 3
-- call , 1
local n = 0                                --> 2
repeat
  n = n + 1                                --> 4
until n >= tonumber(ARGV[1])               --> 4 | true 2 false 2
repeat
  repeat
    n = n + 1                              --> 14
  until n % 3 == 0                         --> 14 | true 5 false 9
until
  n > 6                                    --> 5 | true 2 false 3
return n                                   --> 2
