local t = {}
local n = 1 +
  2
local v = n
  + t.missing
return v
