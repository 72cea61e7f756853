-- Limits by fixed windows of one period, counted from 1970.
--   KEYS    1 state: 'start count', the start of the window in us
--   ARGV    1 limit  2 period, us  3 see common.lua
--   result  see common.lua
local limit, period = ARGV[1] + 0, ARGV[2] + 0
local start, count, moved = now - now % period, 0, false
local state = redis.call('GET', KEYS[1])
if state then
  local began, counted = string.match(state, '^(%d+) (%d+)$')
  began = began + 0
  if began >= start then
    count = counted + 0
    if began <= start + period then
      start = began -- the clock was set back a little: the window continues
    else
      moved = true
    end
  end
end
local taken = count + n <= limit
if taken and not peek then
  count = count + n
end
local over = start + period - now
if moved or taken and not peek then
  redis.call('SET', KEYS[1], string.format('%.0f %.0f', start, count),
    'PX', (over - over % 1000) / 1000 + 1001)
end
local reset = over
if count == 0 then
  reset = 0
end
return {
  taken and 'allowed' or 'limited', limit > count and limit - count or 0,
  taken and 0 or over, reset,
}
