-- Limits by the generic cell rate algorithm: the state is the time at which all would be left again, to which each call adds what it takes.
--   KEYS  1 state: 'time part', in microseconds, and parts of a microsecond of which there are as many as ARGV[1] says
--   ARGV  1 and 2 the rate: so many calls in so many microseconds, without a common divisor  3 burst
--         4 how much to take; negative: only asks whether so much could be
--   result  {taken (1) or not (0), what is left, microseconds until so much is left as was asked for, microseconds until all is}
local parts, interval, burst, n = ARGV[1] + 0, ARGV[2] + 0, ARGV[3] + 0, ARGV[4] + 0
local look = n < 0
if look then
  n = -n
end
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local most = burst * interval -- how far ahead that time may be, in parts
local ahead, moved = 0, false
local state = redis.call('GET', KEYS[1])
if state then
  local time, part = string.match(state, '^(%d+) (%d+)$')
  time = time + 0
  if time - now > 2 * most / parts then -- the clock was set back far
    ahead, moved = most, true
  elseif time >= now then
    ahead = (time - now) * parts + part
  end
end
local taken = ahead + n * interval <= most
if taken and not look then
  ahead = ahead + n * interval
end
local reset = (ahead + (-ahead) % parts) / parts
if moved or taken and not look then
  redis.call('SET', KEYS[1], string.format('%.0f %.0f', now + (ahead - ahead % parts) / parts, ahead % parts), 'PX', (reset - reset % 1000) / 1000 + 1001)
end
local retry = taken and 0 or math.ceil((ahead + n * interval - most) / parts)
local left = most - ahead
return {taken and 1 or 0, left > 0 and (left - left % interval) / interval or 0, retry, reset}
