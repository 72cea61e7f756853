local parts = {'return ', '1 ', '+ 1'}
local i = 0
local f = load(function()
  i = i + 1
  return parts[i]
end)
return f()
