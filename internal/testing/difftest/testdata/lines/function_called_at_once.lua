local a = (function(x)
  return x * 2
end)(21)
local b = (function() return a end)()
return b
