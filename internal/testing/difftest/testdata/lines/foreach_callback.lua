local sum = 0
table.foreachi({1, 2, 3}, function(i, v)
  sum = sum + v
end)
local first = table.foreach({5}, function(k, v) return v end)
return sum + first
