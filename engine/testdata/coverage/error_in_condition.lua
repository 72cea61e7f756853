-- A comparison that fails has gone neither way.
-- call , 1
-- call
local n = ARGV[1] and tonumber(ARGV[1])    --> 2 | true 1 false 1
if n then n = n + 0 end                    --> 2 | true 1 false 1
if n < 5 then                              --> 2 | true 1 false 0
  n = 5                                    --> 1
end
if n == 5 and {} <= n then                 --> 1 | true 1 false 0 | true 0 false 0
  n = 6                                    --> 0
end
return n                                   --> 0
