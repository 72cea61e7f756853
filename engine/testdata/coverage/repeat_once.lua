-- A condition that is a constant, after a statement without code of its own.
-- call
-- call
local n                                    --> 2
repeat
  n = 1                                    --> 2
until true                                 --> 2
repeat
  local same = n                           --> 2
  if same then break end                   --> 2 | true 2 false 0
until false                                --> 0
return n                                   --> 2
