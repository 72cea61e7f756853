redis.call('SET', 'k', 'text')
local r = redis.pcall('INCR', 'k')
if r.err then
  r = redis.pcall('LPUSH',
    'k', 1)
end
local s = redis.pcall('NOSUCHCOMMAND')
return r.err
