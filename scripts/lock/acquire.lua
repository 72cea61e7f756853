-- Takes a lock, or a place in its queue. Repeated with the same lease it changes nothing but the time to live.
--   KEYS    1 lock  2 state  3 queue  4 deadlines
--   ARGV    1 lease  2 owner  3 time to live in ms  4 ms that a waiter may be silent; 0: it does not queue
--   result  {'acquired' or 'reentered', fencing token, holds of the owner}
--           {'refused' or 'queued', ms until the holder's time is over, waiters before this one}
--   slot    all keys share the hash tag {name}
local lock, state, queue, deadlines = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local lease, owner, ttl, silence = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local t = redis.call('TIME')
local micros = t[1] * 1000000 + t[2]

local function live_for(key, ms)
  if redis.call('PTTL', key) < ms then
    redis.call('PEXPIRE', key, ms)
  end
end

local function leave_queue()
  if redis.call('ZREM', queue, lease) == 1 then
    redis.call('HDEL', deadlines, lease)
  end
end

-- The first waiter that has not been silent for too long; those before it lose their places.
local function first()
  while true do
    local head = redis.call('ZRANGE', queue, 0, 0)[1]
    if not head then
      return nil
    end
    local deadline = redis.call('HGET', deadlines, head)
    if deadline and tonumber(deadline) > micros then
      return head
    end
    redis.call('ZREM', queue, head)
    redis.call('HDEL', deadlines, head)
  end
end

local held = redis.call('HMGET', lock, 'owner', 'token', 'lease:' .. lease)
if held[1] == owner then
  local outcome = 'acquired'
  if not held[3] then
    redis.call('HSET', lock, 'lease:' .. lease, '1')
    outcome = 'reentered'
  end
  live_for(lock, ttl)
  leave_queue()
  return {outcome, tonumber(held[2]), redis.call('HLEN', lock) - 2}
end

if not held[1] then
  local head = first()
  if not head or head == lease then
    -- The time, so that tokens go on rising when the state was lost; but never less than the last one and one.
    local token = math.max(micros, tonumber(redis.call('HGET', state, 'token') or 0) + 1)
    local text = string.format('%.0f', token)
    redis.call('HSET', state, 'token', text)
    redis.call('HSET', lock, 'owner', owner, 'token', text, 'lease:' .. lease, '1')
    redis.call('PEXPIRE', lock, ttl)
    if head then
      leave_queue()
    end
    return {'acquired', token, 1}
  end
end

local left = math.max(redis.call('PTTL', lock), 0)
if silence == 0 then
  return {'refused', left, redis.call('ZCARD', queue)}
end
if not redis.call('ZSCORE', queue, lease) then
  local last = redis.call('ZRANGE', queue, -1, -1, 'WITHSCORES')[2]
  redis.call('ZADD', queue, (last or 0) + 1, lease)
end
redis.call('HSET', deadlines, lease, string.format('%.0f', micros + silence * 1000))
live_for(queue, silence)
live_for(deadlines, silence)
return {'queued', left, redis.call('ZRANK', queue, lease)}
