-- Takes a lock, or a place in its queue. Repeated with the same lease, it changes only the time to
-- live.
--   KEYS    1 lock  2 state  3 queue  4 deadlines; all share the hash tag {name}
--   ARGV    1 lease  2 owner  3 time to live in ms
--           4 ms that a waiter may not ask before it loses its turn; 0: it does not queue
--   result  {'acquired' or 'reentered', fencing token, leases of the owner}
--           {'refused' or 'queued', ms until the lock expires, waiters before this one}
local lock, queue, deadlines, lease = KEYS[1], KEYS[3], KEYS[4], ARGV[1]
local t = redis.call('TIME')
local micros = t[1] * 1000000 + t[2]
local owner = redis.call('HGET', lock, 'owner')

if not owner then
  local head = redis.call('ZRANGE', queue, 0, 0)[1]
  while head and head ~= lease do -- waiters past their deadlines lose their turn
    local deadline = redis.call('HGET', deadlines, head)
    if deadline and tonumber(deadline) > micros then
      break
    end
    redis.call('ZREM', queue, head)
    redis.call('HDEL', deadlines, head)
    head = redis.call('ZRANGE', queue, 0, 0)[1]
  end
  if not head or head == lease then
    -- The token is the time, so tokens keep rising if the state is lost. It is always greater than
    -- the last one.
    local token, last = micros, redis.call('HGET', KEYS[2], 'token')
    if last and last + 0 >= token then
      token = tonumber(last) + 1
    end
    local text = string.format('%.0f', token)
    redis.call('HSET', KEYS[2], 'token', text)
    redis.call('HSET', lock, 'owner', ARGV[2], 'token', text, 'lease:' .. lease, '1')
    redis.call('PEXPIRE', lock, ARGV[3])
    if head then
      redis.call('ZREM', queue, lease)
      redis.call('HDEL', deadlines, lease)
    end
    return {'acquired', token, 1}
  end
elseif owner == ARGV[2] then
  local outcome = 'acquired'
  if redis.call('HSETNX', lock, 'lease:' .. lease, '1') == 1 then
    outcome = 'reentered'
  end
  if redis.call('PTTL', lock) < tonumber(ARGV[3]) then
    redis.call('PEXPIRE', lock, ARGV[3])
  end
  redis.call('ZREM', queue, lease)
  redis.call('HDEL', deadlines, lease)
  return {outcome, tonumber(redis.call('HGET', lock, 'token')), redis.call('HLEN', lock) - 2}
end

local left = math.max(redis.call('PTTL', lock), 0)
local silence = tonumber(ARGV[4])
if silence == 0 then
  return {'refused', left, redis.call('ZCARD', queue)}
end
if not redis.call('ZSCORE', queue, lease) then
  local last = redis.call('ZRANGE', queue, -1, -1, 'WITHSCORES')[2]
  redis.call('ZADD', queue, (last or 0) + 1, lease)
end
redis.call('HSET', deadlines, lease, string.format('%.0f', micros + silence * 1000))
for _, key in ipairs({queue, deadlines}) do -- they expire when no waiter asks any more
  if redis.call('PTTL', key) < silence then
    redis.call('PEXPIRE', key, silence)
  end
end
return {'queued', left, redis.call('ZRANK', queue, lease)}
