local t = {f = function(self, a) return {g = function(_, b)
  return {v = a + b} end} end}
local x = t:f(1):g(
  2).v + t
  :f(3)
  :g(4).v
return x
