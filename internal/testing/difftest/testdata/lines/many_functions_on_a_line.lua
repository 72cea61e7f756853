local function a() return 1 end local function b() return a() end local function c()
  return b() end
return c() + b() + (function() return a() end)()
