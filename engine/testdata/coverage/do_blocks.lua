-- Blocks, and loops that begin a block.
-- call , 2
do
  while #KEYS > 0 do                       --> 1 | true 0 false 1
    return 0                               --> 0
  end
end
do
  do
    repeat
      local x = 1                          --> 1
    until x == 1                           --> 1 | true 1 false 0
  end
end
local n = 0                                --> 1
while n < 2 do                             --> 2 | true 1 false 1
  repeat
    while true do                          --> 2
      n = n + 1                            --> 2
      if n > 1 then break end              --> 2 | true 1 false 1
    end
  until n > 2 or n == 2                    --> 1 | true 0 false 1 | true 1 false 0
end
return n                                   --> 1
