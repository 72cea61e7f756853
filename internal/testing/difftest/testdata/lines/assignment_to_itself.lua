local a = 1
a = a
local t = {1}
t[1] = t[1]
local i = 1
i, t[i] = i + 1, 20
return t[1]
