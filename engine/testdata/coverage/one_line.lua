-- call , 1
-- call , 2
-- Several statements on a line: the line counts the one that ran most.
local a, b = 0, 0 for i = 1, 3 do a = a + i end --> 6
if ARGV[1] == '1' then a = 1 b = 2 else a = 3 end return a + b --> 2 | true 1 false 1
