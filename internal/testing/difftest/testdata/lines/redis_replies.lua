redis.call('HSET', 'h', 'a', 1, 'b', 2)
local h = redis.call('HGETALL', 'h')
local t = {}
for i = 1, #h, 2 do
  t[h[i]] = h[i + 1]
end
local ok = redis.call('SET', 'x', 1)['ok']
local none = redis.call('GET', 'none')
if none == false then
  return {ok, t.a, t.b}
end
