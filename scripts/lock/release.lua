-- Gives back what a lease has: its hold on the lock, or its place in the queue. A repeated call
-- returns the same until another lease of the lock is released.
--   KEYS    1 lock  2 state  3 queue  4 deadlines; all share the hash tag {name}
--   ARGV    1 lease  2 owner
--   result  {'released', the first lease in the queue or ''}
--           'still held' the owner has other leases
--           {'not held', the first lease in the queue or ''} the lease had ended, or had only a
--           place in the queue
local lock, state, queue, deadlines = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local lease, owner = ARGV[1], ARGV[2]

local function first()
  return redis.call('ZRANGE', queue, 0, 0)[1] or ''
end

if redis.call('HDEL', lock, 'lease:' .. lease) == 1 then
  redis.call('HSET', state, 'released', lease)
  if redis.call('HLEN', lock) == 2 then -- owner and token
    redis.call('DEL', lock)
  end
elseif redis.call('ZREM', queue, lease) == 1 then
  redis.call('HDEL', deadlines, lease)
  return {'not held', first()}
elseif redis.call('HGET', state, 'released') ~= lease then
  return {'not held', first()}
end
if redis.call('HGET', lock, 'owner') == owner then
  return 'still held'
end
return {'released', first()}
