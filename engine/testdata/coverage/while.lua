-- The line of a while counts how often its condition is evaluated.
-- call , 3
-- call , 0
local n = tonumber(ARGV[1])                --> 2
local sum = 0                              --> 2
while n > 0 do                             --> 5 | true 3 false 2
  sum = sum + n                            --> 3
  n = n - 1                                --> 3
end
while sum > 100 do                         --> 2 | true 0 false 2
  sum = sum - 1                            --> 0
end
return sum                                 --> 2
