-- An if without else: its condition must be false once.
-- call , 1
-- call , 2
-- call , 1
local n = tonumber(ARGV[1])                --> 3
if n == 1 then                             --> 3 | true 2 false 1
  n = 10                                   --> 2
end
if n == 10 then n = 11 end                 --> 3 | true 2 false 1
if n > 100 then                            --> 3 | true 0 false 3
  n = 0                                    --> 0
end
return n                                   --> 3
