local defaults = {a = 1}
local t = setmetatable({}, {
  __index = function(t, k)
    local v = defaults[k]
    if v then
      return v
    end
    return k .. '?'
  end,
  __newindex = function(t, k, v)
    rawset(t, k, v * 2)
  end
})
local x = t.a
t.b = 2
return {x, t.b, t.c}
