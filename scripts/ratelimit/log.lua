-- Limits by a log of what was taken: so much in any period, exactly.
--   KEYS  1 log (list), oldest first: 'time amount sum', time in microseconds, sum being that of all amounts up to this one
--   ARGV  1 limit  2 period, microseconds  3 how much to take; negative: only asks whether so much could be
--   result  {taken (1) or not (0), what is left, microseconds until so much is left as was asked for, microseconds until all is}
local limit, period, n = ARGV[1] + 0, ARGV[2] + 0, ARGV[3] + 0
local look = n < 0
if look then
  n = -n
end
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local chunk = 128

local function parse(text)
  if not text then
    return nil
  end
  local time, amount, sum = string.match(text, '^(%d+) (%d+) (%d+)$')
  return time + 0, amount + 0, sum + 0 -- an error where it is no entry
end

local newest, _, sum = parse(redis.call('LINDEX', KEYS[1], -1))
if newest and newest > now + period then -- the clock was set back far: so are all entries, keeping their distances
  local all = redis.call('LRANGE', KEYS[1], 0, -1)
  local back = newest - now
  for i = 1, #all do
    local time, amount, upto = parse(all[i])
    redis.call('LSET', KEYS[1], i - 1, string.format('%.0f %.0f %.0f', math.max(time - back, 0), amount, upto))
  end
  newest = now
  redis.call('PEXPIRE', KEYS[1], math.ceil(period / 1000) + 1000)
end

local oldest, amount, first = parse(redis.call('LINDEX', KEYS[1], 0))
while oldest and oldest + period <= now do
  local entries, gone = redis.call('LRANGE', KEYS[1], 0, chunk - 1), 0
  while gone < #entries and parse(entries[gone + 1]) + period <= now do
    gone = gone + 1
  end
  redis.call('LTRIM', KEYS[1], gone, -1)
  oldest, amount, first = parse(redis.call('LINDEX', KEYS[1], 0))
end

local before, used = 0, 0
if oldest then
  before = first - amount
  used = sum - before
else
  sum, newest = 0, nil
end
if used + n <= limit then
  if not look then
    newest = math.max(newest or now, now) -- an entry is never older than the one before it
    redis.call('RPUSH', KEYS[1], string.format('%.0f %.0f %.0f', newest, n, sum + n))
    redis.call('PEXPIRE', KEYS[1], math.ceil((newest + period - now) / 1000) + 1000)
    used = used + n
  end
  return {1, limit - used, 0, newest and newest + period - now or 0}
end

-- Enough is left when the first entry has gone up to which the sum is what must go.
local must, from = before + used + n - limit, 0
while true do
  local entries = redis.call('LRANGE', KEYS[1], from, from + chunk - 1)
  for i = 1, #entries do
    local time, _, upto = parse(entries[i])
    if upto >= must then
      return {0, math.max(limit - used, 0), time + period - now, newest + period - now}
    end
  end
  from = from + chunk
end
