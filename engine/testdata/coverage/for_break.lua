-- call , 2
-- call , 9
local found = 0                            --> 2
for i = 1, #ARGV + 3 do                    --> 2 | some 2 none 0
  if i == tonumber(ARGV[1]) then           --> 6 | true 1 false 5
    found = i                              --> 1
    break                                  --> 1
  end
  for j = i, 2 do                          --> 5 | some 3 none 2
    if j == 2 then                         --> 5 | true 3 false 2
      break                                --> 3
    end
  end
end
return found                               --> 2
