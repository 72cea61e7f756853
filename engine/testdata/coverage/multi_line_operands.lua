-- An operand that begins a line counts there: it may be left out.
-- call , 1
-- call , 2
local n = tonumber(ARGV[1])                --> 2
local x = n == 1                           --> 2 | true 1 false 1
  and redis.call('incr', 'a')              --> 1 | true 1 false 0
  or redis.call('incr', 'b')               --> 1
local y = n > 0 and                        --> 2 | true 2 false 0
  n > 1 or                                 --> 2 | true 1 false 1
  n                                        --> 1
local z = {n, n == 3                       --> 2 | true 0 false 2
  and n,                                   --> 0
  n}
if n == 1                                  --> 2 | true 1 false 1
  or n == 2                                --> 1 | true 1 false 0
  or n == 3 then                           --> 0 | true 0 false 0
  x = x + 1                                --> 2
end
return x                                   --> 2
