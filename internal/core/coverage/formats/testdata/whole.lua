local f = function(x) return x end
local t = { g = function(x) return x end, function(x) return x end }
if ARGV[1] == '1' then
  return f(1)
end
return t.g(2) + t[1](3)
