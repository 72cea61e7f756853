local t = {err = 'ERR mine'}
if t then
  error(t)
end
return 1
