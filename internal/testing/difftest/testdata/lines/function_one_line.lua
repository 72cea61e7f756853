local function f(x) local y = x * 2 return y + 1 end
local a = f(1) local b = f(a)
return b
