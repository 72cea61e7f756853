-- call , 1
-- call
local n = #ARGV                            --> 2
if n == 1 then end                         --> 2 | true 1 false 1
if n == 1 then else end                    --> 2 | true 1 false 1
if n == 0 then elseif n == 1 then else end --> 2 | true 1 false 1 | true 1 false 0
for i = 1, n do end                        --> 2 | some 1 none 1
for k in pairs(ARGV) do end                --> 2 | some 1 none 1
while redis.call('incr', 'n') < 3 do end   --> 6 | true 4 false 2
repeat until redis.call('decr', 'n') <= 0  --> 6 | true 2 false 4
do end
local function nothing() end               --> 2 | calls nothing 1
if n == 1 then nothing() end               --> 2 | true 1 false 1
