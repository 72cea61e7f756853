-- Limits by fixed windows: so much in each period, counted from 1970.
--   KEYS  1 state: 'start count', the window's start in microseconds
--   ARGV  1 limit  2 period, microseconds  3 how much to take; negative: only asks whether so much could be
--   result  {taken (1) or not (0), what is left, microseconds until so much is left as was asked for, microseconds until all is}
local limit, period, n = ARGV[1] + 0, ARGV[2] + 0, ARGV[3] + 0
local look = n < 0
if look then
  n = -n
end
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local start, count, moved = now - now % period, 0, false
local state = redis.call('GET', KEYS[1])
if state then
  local began, counted = string.match(state, '^(%d+) (%d+)$')
  began = began + 0
  if began >= start then
    count = counted + 0
    if began <= start + period then
      start = began -- the clock was set back a little: the window goes on
    else
      moved = true
    end
  end
end
local taken = count + n <= limit
if taken and not look then
  count = count + n
end
local over = start + period - now
if moved or taken and not look then
  redis.call('SET', KEYS[1], string.format('%.0f %.0f', start, count), 'PX', (over - over % 1000) / 1000 + 1001)
end
return {taken and 1 or 0, limit > count and limit - count or 0, taken and 0 or over, count > 0 and over or 0}
