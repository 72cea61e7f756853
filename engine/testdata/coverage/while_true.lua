-- A condition that is a constant is not a branch.
-- call , 3
local n = 0                                --> 1
while true do                              --> 3
  n = n + 1                                --> 3
  if n == tonumber(ARGV[1]) then           --> 3 | true 1 false 2
    break                                  --> 1
  end
end
while 1 do                                 --> 1
  while true do                            --> 2
    n = n + 1                              --> 2
    if n > 4 then break end                --> 2 | true 1 false 1
  end
  do return n end                          --> 1
end
