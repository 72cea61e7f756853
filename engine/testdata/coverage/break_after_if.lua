-- A break to which the jump of an if leads.
-- call , 1
-- call , 2
local n, seen = tonumber(ARGV[1]), 0       --> 2
while true do                              --> 2
  if n == 1 then                           --> 2 | true 1 false 1
    seen = seen + 1                        --> 1
  end
  break                                    --> 2
end
for i = 1, n do                            --> 2 | some 2 none 0
  if i == 1 then                           --> 3 | true 2 false 1
    seen = seen + 1                        --> 2
  elseif n == 2 then                       --> 1 | true 1 false 0
    do break end                           --> 1
  end
end
for i = 1, n do                            --> 2 | some 2 none 0
  local keep = function() return i end     --> 2 | calls keep 0
  if i == 2 then seen = keep() end         --> 2 | true 0 false 2
  break                                    --> 2
end
return seen                                --> 2
