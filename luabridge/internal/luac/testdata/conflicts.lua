-- An assignment to several targets that changes a local which another target needs.
local i, t, k = 1, {}, 'x'
i, t[i] = i + 1, 20
t[i], i = 30, 5
t, t.x = {}, 1
t.x, t = 2, {}
t[k], k = k, 'y'
k, t[k], t[i] = 'z', k, i
t, t[i], t[t] = 1, 2, 3
do
  local a, b = {}, {}
  a, a.b, b, b[a] = b, a, a, b
  a[i], b[i], i = i, i, a
end
local function f(a, b, ...)
  a, a[b], b = ..., a
  b, a[b] = f(a, b)
  a[a], a, b = 1
  return a, b
end
return i, t, k, f
