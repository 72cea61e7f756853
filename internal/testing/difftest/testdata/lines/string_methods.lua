local s = 'Hello'
local t = s:lower()
  :upper()
  :sub(2,
    3)
return t .. ('x'):rep(3)
