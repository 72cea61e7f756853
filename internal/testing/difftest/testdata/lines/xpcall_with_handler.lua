local seen = 0
local function handler(e)
  seen = seen + 1
  return 'handled ' .. tostring(e)
end
local ok, v = xpcall(function()
  local x = 1
  error('oh',
    0)
end, handler)
local ok2, v2 = xpcall(function() return 5 end, handler)
return {v, v2, seen}
