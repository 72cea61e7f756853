-- keys: packet taken
-- args: 100 4 alice bob carol
local left, people = tonumber(ARGV[1]), tonumber(ARGV[2])
local shares = {}
while people > 1 do
  local share = math.max(1, math.floor(left / people) - 1)
  shares[#shares + 1] = share
  left, people = left - share, people - 1
end
shares[#shares + 1] = left
redis.call('RPUSH', KEYS[1], unpack(shares))
for i = 3, #ARGV do
  if redis.call('HEXISTS', KEYS[2], ARGV[i]) == 0 then
    local got = redis.call('LPOP', KEYS[1])
    redis.call('HSET', KEYS[2], ARGV[i], got)
  end
end
return redis.call('HGETALL', KEYS[2])
