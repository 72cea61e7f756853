-- Limits by a log of what was taken: never more than the limit in any period.
--   KEYS    1 log (list), oldest first: time in us, amount and sum, each a double of struct; the sum
--           is that of all amounts up to this one since the log was last empty; times do not decrease
--   ARGV    1 limit  2 period, us  3 see common.lua
--   result  see common.lua
local limit, period = ARGV[1] + 0, ARGV[2] + 0
local chunk = 128

local last = redis.call('LINDEX', KEYS[1], -1)
local newest, sum, before = now, 0, 0 -- before: the sum of the entries that have gone
local counts, single = false, false -- counts: some entry has not gone; single: there is one entry
if last then
  local amount
  newest, amount, sum = struct.unpack('<ddd', last) -- fails if it is not an entry
  counts, single = newest + period > now, amount == sum
  if not counts then
    newest, sum = now, 0
  end
end
if counts then
  if newest > now + period then -- the clock was set back far: so are all entries, with their distances
    -- redmoon:disable-next-line unbounded-read -- every entry must move
    local all = redis.call('LRANGE', KEYS[1], 0, -1)
    local back = newest - now
    for i = 1, #all do
      local time, amount, upto = struct.unpack('<ddd', all[i])
      redis.call('LSET', KEYS[1], i - 1,
        struct.pack('<ddd', math.max(time - back, 0), amount, upto))
    end
    newest = now
    redis.call('PEXPIRE', KEYS[1], math.ceil(period / 1000) + 1000)
  end

  local oldest, amount, first = struct.unpack('<ddd', redis.call('LINDEX', KEYS[1], 0))
  while oldest + period <= now do -- ends: the newest has not gone
    local entries, gone = redis.call('LRANGE', KEYS[1], 0, chunk - 1), 0
    while gone < #entries and struct.unpack('<ddd', entries[gone + 1]) + period <= now do
      gone = gone + 1
    end
    redis.call('LTRIM', KEYS[1], gone, -1)
    oldest, amount, first = struct.unpack('<ddd', redis.call('LINDEX', KEYS[1], 0))
  end
  before = first - amount
end

local used = sum - before
if used + n <= limit then
  if peek then
    if counts then
      return {'allowed', limit - used, 0, newest + period - now}
    end
    redis.call('DEL', KEYS[1])
    return {'allowed', limit, 0, 0}
  end
  if newest < now then
    newest = now
  end
  local reset = newest + period - now
  if last and not counts then -- the new entry replaces all others
    if not single then
      redis.call('LTRIM', KEYS[1], -1, -1)
    end
    redis.call('LSET', KEYS[1], 0, struct.pack('<ddd', newest, n, n))
  else
    redis.call('RPUSH', KEYS[1], struct.pack('<ddd', newest, n, sum + n))
  end
  redis.call('PEXPIRE', KEYS[1], (reset + (-reset) % 1000) / 1000 + 1000)
  return {'allowed', limit - used - n, 0, reset}
end

-- Enough is left when every entry has gone up to the first one whose sum is what must go.
local must, from = before + used + n - limit, 0
while true do
  local entries = redis.call('LRANGE', KEYS[1], from, from + chunk - 1)
  if #entries == 0 then
    return redis.error_reply('ERR the amount is above the limit')
  end
  for i = 1, #entries do
    local time, _, upto = struct.unpack('<ddd', entries[i])
    if upto >= must then
      return {'limited', math.max(limit - used, 0), time + period - now, newest + period - now}
    end
  end
  from = from + chunk
end
