local a
local b, c
local d, e = 1
do
  local f
  local g, h, i
end
local j = nil
a = 1
local k
return a
