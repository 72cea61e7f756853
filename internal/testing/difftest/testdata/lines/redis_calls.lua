-- keys: counter list
-- args: 3
local n = tonumber(ARGV[1])
for i = 1, n do
  redis.call('INCR', KEYS[1])
  redis.call('RPUSH',
    KEYS[2],
    i)
end
local all = redis.call('LRANGE', KEYS[2], 0, -1)
return {redis.call('GET', KEYS[1]), all}
