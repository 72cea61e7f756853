local t = {3, 1, 2}
table.sort(t, function(a, b)
  return a > b
end)
local words = {'bb', 'a'}
table.sort(words,
  function(a, b) return #a < #b end)
return {t[1], words[1]}
