-- call , 1
-- call , 2
-- call , 2
-- call , 5
local n = tonumber(ARGV[1])                --> 4
if n == 1 then                             --> 4 | true 1 false 3
  n = 10                                   --> 1
elseif n == 2 then                         --> 3 | true 2 false 1
  n = 20                                   --> 2
elseif n == 3 then                         --> 1 | true 0 false 1
  n = 30                                   --> 0
elseif                                     --> 1
  n == 4                                   --> - | true 0 false 1
then
  n = 40                                   --> 0
else
  n = 50                                   --> 1
end
return n                                   --> 4
