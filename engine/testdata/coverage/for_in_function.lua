-- An iterator that is a function of the script.
-- call , 2
-- call , 0
local function upto(limit, i)              --> 2 | calls upto 4
  if i < limit then                        --> 4 | true 2 false 2
    return i + 1                           --> 2
  end
end
local sum = 0                              --> 2
for i in upto, tonumber(ARGV[1]), 0 do     --> 2 | some 1 none 1
  sum = sum + i                            --> 2
end
for i in function() end do                 --> 2 | some 0 none 2 | calls anonymous 2
  sum = 0                                  --> 0
end
return sum                                 --> 2
