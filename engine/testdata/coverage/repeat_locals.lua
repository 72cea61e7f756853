-- The condition of a repeat sees the locals of the body, also when a closure keeps them.
-- call
local keep = {}                            --> 1
local i = 0                                --> 1
repeat
  local last = i == 2                      --> 3
  i = i + 1                                --> 3
until last                                 --> 3 | true 1 false 2
repeat
  local x = i                              --> 2
  keep[#keep + 1] = function()             --> 2 | calls keep[#keep+1] 2
    return x                               --> 2
  end
  i = i + 1                                --> 2
until x == 4                               --> 2 | true 1 false 1
return keep[1]() + keep[2]()               --> 1
