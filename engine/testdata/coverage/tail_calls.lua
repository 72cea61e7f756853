-- call
local odd                                  --> 1
local function even(n)                     --> 1 | calls even 4
  if n == 0 then                           --> 4 | true 1 false 3
    return 'even'                          --> 1
  end
  return odd(n - 1)                        --> 3
end
function odd(n)                            --> 1 | calls odd 3
  if n == 0 then                           --> 3 | true 0 false 3
    return 'odd'                           --> 0
  end
  return even(n - 1)                       --> 3
end
return even(6)                             --> 1
