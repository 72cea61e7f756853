-- Limits by a bucket of tokens that is refilled evenly.
--   KEYS    1 state: 'level time', the level of the bucket at a time in us
--   ARGV    1 what is refilled per us  2 what a token is  3 tokens that the bucket holds
--           4 see common.lua; 1, 2 and the level are whole numbers in the same unit
--   result  see common.lua
local rate, token, burst = ARGV[1] + 0, ARGV[2] + 0, ARGV[3] + 0
local full = burst * token
local level, at, moved = full, now, false
local state = redis.call('GET', KEYS[1])
if state then
  local l, t = string.match(state, '^(%d+) (%d+)$')
  level, at = l + 0, t + 0
  if level > full then
    level = full
  end
  if at - now > full / rate then -- the clock was set back by more than the bucket takes to fill
    at, moved = now, true
  elseif now > at then
    if now - at >= (full - level) / rate then
      level = full
    else
      level = level + (now - at) * rate
    end
    at = now
  end -- if it was set back by less, nothing is refilled until it has caught up
end
local taken = level >= n * token
if taken and not peek then
  level = level - n * token
end
local missing = full - level
local reset = (missing + (-missing) % rate) / rate + at - now
if moved or taken and not peek then
  redis.call('SET', KEYS[1], string.format('%.0f %.0f', level, at),
    'PX', (reset - reset % 1000) / 1000 + 1001)
end
local retry = taken and 0 or math.ceil((n * token - level) / rate) + at - now
if level == full then
  reset = 0
end
return {taken and 'allowed' or 'limited', (level - level % token) / token, retry, reset}
