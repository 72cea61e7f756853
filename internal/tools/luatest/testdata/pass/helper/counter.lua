local m, n = { name = ... }, 0
function m.next()
  n = n + 1
  return n
end
return m
