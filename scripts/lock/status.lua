-- Tells how a lock stands; changes nothing.
--   KEYS    1 lock  2 state  3 queue
--   result  {owner or false, last fencing token or 0, holds, ms until the holder's time is over, waiters}
--   slot    all keys share the hash tag {name}
local owner = redis.call('HGET', KEYS[1], 'owner')
local waiters = redis.call('ZCARD', KEYS[3])
local token = tonumber(redis.call('HGET', KEYS[2], 'token') or 0)
if not owner then
  return {false, token, 0, 0, waiters}
end
return {owner, token, redis.call('HLEN', KEYS[1]) - 2, redis.call('PTTL', KEYS[1]), waiters}
