-- Limits by the generic cell rate algorithm: the state is the time at which all would be left again, to which each call adds what it takes.
--   KEYS  1 state: 'time part', in microseconds, and parts of a microsecond of which there are as many as ARGV[1] says
--   ARGV  1 and 2 the rate: so many calls in so many microseconds, without a common divisor  3 burst
--         4 how much to take; negative: only asks whether so much could be
--   result  {taken (1) or not (0), what is left, microseconds until so much is left as was asked for, microseconds until all is}
local parts, interval, burst, n = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local look = n < 0
n = math.abs(n)
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local most = burst * interval -- how far ahead that time may be, in parts
local ahead, moved = 0, false
local state = redis.call('GET', KEYS[1])
if state then
  local time, part = string.match(state, '^(%d+) (%d+)$')
  time = tonumber(time)
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
local reset = math.ceil(ahead / parts)
if moved or taken and not look then
  redis.call('SET', KEYS[1], string.format('%.0f %.0f', now + math.floor(ahead / parts), ahead % parts), 'PX', math.ceil(reset / 1000) + 1000)
end
local retry = taken and 0 or math.ceil((ahead + n * interval - most) / parts)
return {taken and 1 or 0, math.max(math.floor((most - ahead) / interval), 0), retry, reset}
