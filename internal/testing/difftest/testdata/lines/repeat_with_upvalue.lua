local fs = {}
local n = 0
repeat
  local v = n
  fs[#fs + 1] = function()
    return v
  end
  n = n + 1
until v >= 2
return fs[1]() + fs[2]() + fs[3]()
