local t = setmetatable({}, {__tostring = function()
  return 'mine'
end})
local s = tostring(t)
local p = select(2, pcall(error,
  t))
return s
