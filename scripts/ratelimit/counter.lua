-- Limits by two counters: the count of this fixed window, and a part of the count of the window
-- before. The part is the share of that window that lies in the last period.
--   KEYS    1 state: 'start previous current', start is that of the current window in us
--   ARGV    1 limit  2 period, us  3 see common.lua
--   result  see common.lua
-- Amounts are multiplied by the period, so all numbers are whole.
local limit, period = ARGV[1] + 0, ARGV[2] + 0
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
  elseif began > start then -- the clock was set back: all counts as taken in this window
    current, moved = math.min(limit, p + c), true
  end
end
local used = previous * (period - elapsed) + current * period
local taken = used + n * period <= limit * period
if taken and not peek then
  current, used = current + n, used + n * period
end

local reset = 0
if current > 0 then
  reset = 2 * period - elapsed
elseif previous > 0 then
  reset = period - elapsed
end
if moved or taken and not peek then
  redis.call('SET', KEYS[1], string.format('%.0f %.0f %.0f', start, previous, current),
    'PX', (reset - reset % 1000) / 1000 + 1001)
end
local retry, room = 0, limit - current - n
if not taken then
  if room >= 0 then -- in this window, or when the next one begins
    retry = period - math.floor(room * period / previous) - elapsed
  else
    retry = period - elapsed + math.max(period - math.floor((limit - n) * period / current), 0)
  end
end
local left = limit * period - used
return {
  taken and 'allowed' or 'limited', left > 0 and (left - left % period) / period or 0,
  retry, reset,
}
