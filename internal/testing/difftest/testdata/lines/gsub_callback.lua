local n = 0
local s = string.gsub('a b c', '%a', function(c)
  n = n + 1
  if c == 'b' then
    return 'B'
  end
end)
local t = ('x1y2'):gsub('(%a)(%d)',
  function(a, d) return d .. a end)
return {s, t, n}
