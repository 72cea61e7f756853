-- call a b
-- call
local n = 0                                --> 2
for i, key in ipairs(KEYS) do              --> 2 | some 1 none 1
  n = n + i * #key                         --> 2
end
for k, v in pairs({x = 1, y = 2, z = 3}) do --> 2 | some 2 none 0
  n = n + v                                --> 6
end
for k in next, {} do                       --> 2 | some 0 none 2
  n = n + 100                              --> 0
end
for word in string.gmatch('a bc d', '%a+') do n = n + #word end --> 6 | some 2 none 0
return n                                   --> 2
