-- A for between numbers of the text always does the same, so it is not a branch.
-- call
local sum = 0                              --> 1
for i = 1, 3 do                            --> 1
  sum = sum + i                            --> 3
end
for i = 3, 1 do                            --> 1
  sum = sum + i                            --> 0
end
for i = 10, 1, -3 do                       --> 1
  for j = 1, 2 do                          --> 4
    sum = sum + j                          --> 8
  end
end
for _ = 0.5, -1.5, -0.5 do sum = sum + 1 end --> 5
return sum                                 --> 1
