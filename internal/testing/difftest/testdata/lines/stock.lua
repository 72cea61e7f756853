-- keys: stock orders
-- args: 2 o1 o2 o3
redis.call('SET', KEYS[1], ARGV[1])
local sold = 0
for i = 2, #ARGV do
  repeat
    if tonumber(redis.call('GET', KEYS[1])) <= 0 then
      break
    end
    if redis.call('SADD', KEYS[2], ARGV[i]) == 0 then break end
    redis.call('DECR', KEYS[1])
    sold = sold + 1
  until true
end
return sold
