-- The branch of a for: whether its body runs at all.
-- call , 3
-- call , 0
-- call , 1
local sum = 0                              --> 3
for i = 1, ARGV[1] do                      --> 3 | some 2 none 1
  sum = sum + i                            --> 4
end
for i = tonumber(ARGV[1]), 1, -1 do        --> 3 | some 2 none 1
  sum = sum + i                            --> 4
end
for i = 5, tonumber(ARGV[1]) do            --> 3 | some 0 none 3
  sum = sum + i                            --> 0
end
return sum                                 --> 3
