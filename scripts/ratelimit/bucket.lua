-- Limits by a bucket of tokens that is refilled evenly.
--   KEYS  1 state: 'level time', of the bucket at a time in microseconds
--   ARGV  1 what is refilled each microsecond  2 what a token is  3 tokens that the bucket holds
--         4 tokens to take; negative: only asks whether so many could be
--         1 and 2 are whole numbers in the same unit, in which the level is kept too
--   result  {taken (1) or not (0), tokens left, microseconds until there are as many as were asked for, microseconds until the bucket is full}
local rate, token, burst, n = ARGV[1] + 0, ARGV[2] + 0, ARGV[3] + 0, ARGV[4] + 0
local look = n < 0
if look then
  n = -n
end
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local full = burst * token
local level, at, moved = full, now, false
local state = redis.call('GET', KEYS[1])
if state then
  local l, t = string.match(state, '^(%d+) (%d+)$')
  level, at = l + 0, t + 0
  if level > full then
    level = full
  end
  if at - now > full / rate then -- the clock was set back by more than a bucket takes to fill
    at, moved = now, true
  elseif now > at then
    if now - at >= (full - level) / rate then
      level = full
    else
      level = level + (now - at) * rate
    end
    at = now
  end -- where it was set back by less, it stands still until it has caught up
end
local taken = level >= n * token
if taken and not look then
  level = level - n * token
end
local missing = full - level
local reset = (missing + (-missing) % rate) / rate + at - now
if moved or taken and not look then
  redis.call('SET', KEYS[1], string.format('%.0f %.0f', level, at), 'PX', (reset - reset % 1000) / 1000 + 1001)
end
local retry = taken and 0 or math.ceil((n * token - level) / rate) + at - now
return {taken and 1 or 0, (level - level % token) / token, retry, level < full and reset or 0}
