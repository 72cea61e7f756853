local ok, e = pcall(function(v)
  assert(v == 1, 'first')
  assert(v == 2,
    'second')
  return v
end, 1)
assert(not ok)
return e
