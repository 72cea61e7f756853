-- call , 3
-- call , 0
local function values(n)                   --> 2 | calls values 2
  return coroutine.wrap(function()         --> 2 | calls anonymous 2
    for i = 1, n do                        --> 2 | some 1 none 1
      coroutine.yield(i)                   --> 3
    end
  end)
end
local sum = 0                              --> 2
for v in values(tonumber(ARGV[1])) do      --> 2 | some 1 none 1
  sum = sum + v                            --> 3
end
return sum                                 --> 2
