-- call , 1 1
-- call , 1 2
-- call , 2 1
-- call , 3 3
local a, b = ARGV[1], ARGV[2]              --> 4
local n = 0                                --> 4
if a == '1' and b == '1' then              --> 4 | true 2 false 2 | true 1 false 1
  n = n + 1                                --> 1
end
if a == '1' or b == '1' then               --> 4 | true 2 false 2 | true 1 false 1
  n = n + 2                                --> 3
end
if (a == '1' or a == '2') and b == '1' then --> 4 | true 2 false 2 | true 1 false 1 | true 2 false 1
  n = n + 4                                --> 2
end
if a == '1' and b == '2' or a == '3' then  --> 4 | true 2 false 2 | true 1 false 1 | true 1 false 2
  n = n + 8                                --> 2
end
while n > 8 and n < 13 do n = n + 1 end    --> 7 | true 4 false 3 | true 3 false 1
return n                                   --> 4
