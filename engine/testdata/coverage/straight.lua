-- Statements that run one after the other. Comments and empty lines are not counted.
-- call
-- call

local a = 1                                --> 2
local b                                    --> 2
b = a + 1                                  --> 2
--[[ a long comment
  b = 3
]]
redis.call('set', 'k', b) -- and a short one --> 2
do
  local c = b                              --> 2
  b = c                                    --> 2
end
return b                                   --> 2
