local f, e = loadstring('return (')
if not f then
  return e
end
return f()
