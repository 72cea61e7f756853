local function f()
  return 1, 2
end
local a = (f())
local b = (
  f()
)
local c = ((a)
  + (b))
return (c)
