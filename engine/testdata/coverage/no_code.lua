-- Statements that need no instruction of their own, before what runs another number of times.
-- call , 1
-- call , 3
local a                                    --> 2
local b, c                                 --> 2
while (a or 0) < 2 do                      --> 6 | true 4 false 2 | true 4 false 2
  a = (a or 0) + 1                         --> 4 | true 2 false 2
end
if ARGV[1] == '1' then                     --> 2 | true 1 false 1
  b = b                                    --> 1
end
if ARGV[1] == '2' then                     --> 2 | true 0 false 2
  local d                                  --> 0
  local e                                  --> 0
else
  b = b                                    --> 2
end
local x = a                                --> 2
x = x                                      --> 2
repeat
  local y                                  --> 4
  local z                                  --> 4
  x = x - 1                                --> 4
until x == 0                               --> 4 | true 2 false 2
local function f()                         --> 2 | calls f 2
  local p                                  --> 2
  repeat
    p = (p or 0) + 1                       --> 6 | true 4 false 2
  until p == 3                             --> 6 | true 2 false 4
  return p                                 --> 2
end
for _ = 1, 2 do                            --> 2
  a = a                                    --> 4
end
return f()                                 --> 2
