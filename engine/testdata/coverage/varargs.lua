-- call , 1 2 3
-- call
local function count(...)                  --> 2 | calls count 2
  local n = select('#', ...)               --> 2
  local first, second = ...                --> 2
  if n > 1 and second then                 --> 2 | true 1 false 1 | true 1 false 0
    return n                               --> 1
  end
  return ... or 0                          --> 1 | true 0 false 1
end
local function old(...)                    --> 2 | calls old 2
  return arg.n                             --> 2
end
return {count(unpack(ARGV)), old(unpack(ARGV))} --> 2
