-- Functions that are called often, once, never.
-- call
-- call
local function often(x)                    --> 2 | calls often 6
  return x + 1                             --> 6
end
local function once(x)                     --> 2 | calls once 2
  return often(x) + often(x)               --> 2
end
local function never(x)                    --> 2 | calls never 0
  if x then                                --> 0 | true 0 false 0
    return once(x)                         --> 0
  end
  for i = 1, x do                          --> 0 | some 0 none 0
    often(i)                               --> 0
  end
end
return once(1) + often(1)                  --> 2
