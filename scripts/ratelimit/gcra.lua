-- Limits by the generic cell rate algorithm. The state is the time at which everything is left again;
-- each call adds to it.
--   KEYS    1 state: 'time part', in us and parts of a us; a us has ARGV[1] parts
--   ARGV    1 2 the rate: 1 calls per 2 us, without a common divisor  3 burst  4 see common.lua
--   result  see common.lua
local parts, interval, burst = ARGV[1] + 0, ARGV[2] + 0, ARGV[3] + 0
local most = burst * interval -- how far ahead of now that time may be, in parts
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
if taken and not peek then
  ahead = ahead + n * interval
end
local reset = (ahead + (-ahead) % parts) / parts
if moved or taken and not peek then
  redis.call('SET', KEYS[1],
    string.format('%.0f %.0f', now + (ahead - ahead % parts) / parts, ahead % parts),
    'PX', (reset - reset % 1000) / 1000 + 1001)
end
local retry = taken and 0 or math.ceil((ahead + n * interval - most) / parts)
local left = most - ahead
return {
  taken and 'allowed' or 'limited', left > 0 and (left - left % interval) / interval or 0,
  retry, reset,
}
