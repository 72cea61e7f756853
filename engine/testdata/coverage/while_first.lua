-- A loop as the first statement, and after a local that needs no code.
-- call
while #KEYS > 1 do                         --> 1 | true 0 false 1
  return 'never'                           --> 0
end
local function count(limit)                --> 1 | calls count 2
  local n                                  --> 2
  while (n or 0) < limit do                --> 6 | true 4 false 2 | true 4 false 2
    n = (n or 0) + 1                       --> 4 | true 2 false 2
  end
  return n                                 --> 2
end
return count(3) + count(1)                 --> 1
