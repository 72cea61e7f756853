local function f(s)
  return #s
end
local n = f'abc'
local m = f[[
two
lines]]
return n + m
