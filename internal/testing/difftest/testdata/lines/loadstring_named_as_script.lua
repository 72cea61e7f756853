local f = loadstring('local a = 1\n\nreturn a', 'user_script')
local n = f()
local g = loadstring([[return function(x)

  return x .. 'user_script'
end]])
return g()(n)
