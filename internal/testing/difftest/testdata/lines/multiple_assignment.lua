local a, b, c = 1, 2, 3
a, b, c = c, a, b
local t = {}
t.x, t.y = a,
  b
t[a], t[b],
  t[c] =
  1, 2,
  3
return {t.x, t.y, t[1]}
