local a = 1
local b = a +
  undefined_name
return b
