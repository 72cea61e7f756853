-- Describes a lock. Changes nothing.
--   KEYS    1 lock  2 state  3 queue; all share the hash tag {name}
--   result  {'free', last fencing token or 0, waiters}
--           {'held', fencing token, waiters, owner, leases of the owner, ms until the lock expires}
local owner = redis.call('HGET', KEYS[1], 'owner')
local waiters = redis.call('ZCARD', KEYS[3])
local token = tonumber(redis.call('HGET', KEYS[2], 'token') or 0)
if not owner then
  return {'free', token, waiters}
end
return {'held', token, waiters, owner, redis.call('HLEN', KEYS[1]) - 2, redis.call('PTTL', KEYS[1])}
