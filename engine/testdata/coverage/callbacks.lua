-- Functions that library functions and metamethods call.
-- call
local t = {3, 1, 2}                        --> 1
table.sort(t, function(a, b)               --> 1 | calls anonymous 2
  return a < b                             --> 2
end)
local s = string.gsub('a-b', '%a', function(c) --> 1 | calls anonymous 2
  return c .. c                            --> 2
end)
local v = setmetatable({}, {               --> 1
  __index = function(_, k)                 --> - | calls __index 2
    return k == 'x' and 1 or nil           --> 2 | true 1 false 1
  end,
  __call = function(self, n) return n end, --> 1 | calls __call 1
  __eq = function() return true end,       --> 0 | calls __eq 0
})
return {s, v.x or 0, v.y or 0, v(7)}       --> 1 | true 1 false 0 | true 0 false 1
