local a = nil
local b = not a
local c = not not
  b
local d = not (a
  and b)
local e = not (a or
  b) == false
return {b, c, d, e}
