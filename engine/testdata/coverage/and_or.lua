-- Each operand of "and" and "or" that decides something is a branch.
-- call , a
-- call , b
-- call
local x = ARGV[1]                          --> 3
local a = x and x == 'a'                   --> 3 | true 2 false 1
local b = x or 'none'                      --> 3 | true 2 false 1
local c = x and #x > 0 and x or 'empty'    --> 3 | true 2 false 1 | true 2 false 0 | true 2 false 0
local d = (x or 'b') == 'b' and 1 or 2     --> 3 | true 2 false 1 | true 2 false 1
return {a and 1 or 0, b, c, d}             --> 3 | true 1 false 2
