-- A for whose limits are no numbers has neither some iterations nor none.
-- call , 2
-- call , x
local n = 0                                --> 2
for i = 1, ARGV[1] do                      --> 2 | some 1 none 0
  n = n + 1                                --> 2
end
for k, v in pairs(n == 2 and {} or nil) do --> 1 | some 0 none 1 | true 1 false 0
  n = n + 1                                --> 0
end
for i in n do                              --> 1 | some 0 none 0
  n = n + 1                                --> 0
end
return n                                   --> 0
