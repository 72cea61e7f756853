local function text(v)
  return tostring(v)
end
local function pick(...)
  return select('#', ...)
end
return text(1) .. pick(1, 2, 3)
