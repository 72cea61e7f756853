-- Long strings and comments hold what looks like code.
-- call
-- line 5 --> 1
-- line 10 --> 1
local text = [[
if x then
  return 1
end
]]
local quoted = 'return \
2'
--[==[
return 3
--]==]
local code = [==[return 4]==]              --> 1
return #text + #quoted + #code             --> 1
