-- Limits by two counters: what was taken in this fixed window, and of the window before it the part by which a period that ends now reaches
-- into it, as if what was taken there had been spread evenly.
--   KEYS  1 state: 'start previous current', start being that of the current window in microseconds
--   ARGV  1 limit  2 period, microseconds  3 how much to take; negative: only asks whether so much could be
--   result  {taken (1) or not (0), what is left, microseconds until so much is left as was asked for, microseconds until all is}
-- Amounts are multiplied by the period, so that all is in whole numbers.
local limit, period, n = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local look = n < 0
n = math.abs(n)
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local elapsed = now % period
local start, previous, current, moved = now - elapsed, 0, 0, false
local state = redis.call('GET', KEYS[1])
if state then
  local began, p, c = string.match(state, '^(%d+) (%d+) (%d+)$')
  began = tonumber(began)
  if began == start then
    previous, current = tonumber(p), tonumber(c)
  elseif began == start - period then
    previous = tonumber(c)
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
  redis.call('SET', KEYS[1], string.format('%.0f %.0f %.0f', start, previous, current), 'PX', math.ceil(reset / 1000) + 1000)
end
local retry, room = 0, limit - current - n
if not taken then
  if room >= 0 then -- in this window, or where the next begins
    retry = period - math.floor(room * period / previous) - elapsed
  else
    retry = period - elapsed + math.max(period - math.floor((limit - n) * period / current), 0)
  end
end
return {taken and 1 or 0, math.max(math.floor((limit * period - used) / period), 0), retry, reset}
