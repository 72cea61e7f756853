-- Limits by two counters: what was taken in this fixed window, and of the window before it the part by which a period that ends now reaches
-- into it, as if what was taken there had been spread evenly.
--   KEYS  1 state: 'start previous current', start being that of the current window in microseconds
--   ARGV  1 limit  2 period, microseconds  3 how much to take; negative: only asks whether so much could be
--   result  {taken (1) or not (0), what is left, microseconds until so much is left as was asked for, microseconds until all is}
-- Amounts are multiplied by the period, so that all is in whole numbers.
local limit, period, n = ARGV[1] + 0, ARGV[2] + 0, ARGV[3] + 0
local look = n < 0
if look then
  n = -n
end
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local elapsed = now % period
local start, previous, current, moved = now - elapsed, 0, 0, false
local state = redis.call('GET', KEYS[1])
if state then
  local began, p, c = string.match(state, '^(%d+) (%d+) (%d+)$')
  began = began + 0
  if began == start then
    previous, current = p + 0, c + 0
  elseif began == start - period then
    previous = c + 0
  elseif began > start then -- the clock was set back: all of it is taken to be of this window
    current, moved = math.min(limit, p + c), true
  end
end
local used = previous * (period - elapsed) + current * period
local taken = used + n * period <= limit * period
if taken and not look then
  current, used = current + n, used + n * period
end

local reset = 0
if current > 0 then
  reset = 2 * period - elapsed
elseif previous > 0 then
  reset = period - elapsed
end
if moved or taken and not look then
  redis.call('SET', KEYS[1], string.format('%.0f %.0f %.0f', start, previous, current), 'PX', (reset - reset % 1000) / 1000 + 1001)
end
local retry, room = 0, limit - current - n
if not taken then
  if room >= 0 then -- in this window, or where the next begins
    retry = period - math.floor(room * period / previous) - elapsed
  else
    retry = period - elapsed + math.max(period - math.floor((limit - n) * period / current), 0)
  end
end
local left = limit * period - used
return {taken and 1 or 0, left > 0 and (left - left % period) / period or 0, retry, reset}
