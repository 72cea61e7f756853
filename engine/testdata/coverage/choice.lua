-- Constants, constructors, functions and results of operators are not branches: they are never false.
-- call , 1
-- call , 2
local n = tonumber(ARGV[1])                --> 2
local one = n == 1 and 'one' or 'other'    --> 2 | true 1 false 1
local t = n == 1 and {} or {n}             --> 2 | true 1 false 1
local m = n == 1 and n + 1 or -n           --> 2 | true 1 false 1
local s = n == 1 and one .. 'x' or #one    --> 2 | true 1 false 1
local f = n == 1 and function() return 1 end or tostring --> 2 | true 1 false 1 | calls anonymous 1
local z = nil or n                         --> 2
local y = false and n                      --> 2
local o = not nil and n                    --> 2
return {one, #t, m, s, f(2), z, o}         --> 2
