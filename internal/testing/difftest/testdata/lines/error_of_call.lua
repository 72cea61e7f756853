local t = {}
t.f = function(x) return x end
t.f(1)
t.g(
  2
)
return 1
