local r = redis.error_reply('MY error')
local s = redis.status_reply('FINE')
if r.err then
  return s
end
return r
