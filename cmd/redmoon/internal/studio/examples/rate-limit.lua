-- Allows so many calls in a sliding window. The window is a sorted set of times.
--   KEYS    1 window
--   ARGV    1 calls  2 window in ms
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
local count = redis.call('ZCARD', KEYS[1])
if count >= limit then
  local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
  return {'limited', window - (now - oldest)}
end
redis.call('ZADD', KEYS[1], now, now .. '-' .. count)
redis.call('PEXPIRE', KEYS[1], window)
return {'allowed', limit - count - 1}
