-- "not" belongs to the condition. Around "and" and "or" it does not change what their operands are.
-- call , 1 1
-- call , 1 2
-- call , 2 1
local a, b = ARGV[1] == '1', ARGV[2] == '1' --> 3
local n = 0                                --> 3
if not a then n = n + 1 end                --> 3 | true 1 false 2
if not (a == b) then n = n + 2 end         --> 3 | true 2 false 1
if not (a and b) then n = n + 4 end        --> 3 | true 2 false 1 | true 1 false 1
if not (a or b) then n = n + 8 end         --> 3 | true 2 false 1 | true 1 false 0
if not (not a and not b) then n = n + 16 end --> 3 | true 1 false 2 | true 0 false 1
local c = not (a and b) and a              --> 3 | true 2 false 1 | true 1 false 1
while not (n % 2 == 0 or n > 20) do n = n + 1 end --> 3 | true 2 false 1 | true 1 false 0
return n                                   --> 3
