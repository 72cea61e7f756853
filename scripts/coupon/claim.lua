-- Claims a coupon if every limit allows it, and else changes nothing. The same token claims once.
--   KEYS  1... claims (hash of token to claim): first those of this stretch of time, then those of others that may hold the token;
--         then counters (hash of field to count), one for each limit, those of the same key side by side; one slot
--   ARGV  1 token  2 what the claim is, to be kept
--         3 4 the microseconds between which (the second excluded) the server's clock must stand for these keys to be the right ones
--         5 how many keys of claims  6 when KEYS[1] expires
--         7... for each limit: its field, the most, when its key expires. Expiry is in ms since 1970; -1 is never
--   result  {0, now} the time is another; {1, now} claimed; {2, claim} the token claimed before; {3, now, i, count, ...} the limits
--         that are reached and their counts, i from 1 on; now is in microseconds
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
if now < ARGV[3] + 0 or now >= ARGV[4] + 0 then
  return {0, now}
end
local token, kept = ARGV[1], ARGV[5] + 0
for k = 1, kept do
  local claim = redis.call('HGET', KEYS[k], token)
  if claim then
    return {2, claim}
  end
end

local limits, counts, reached = #KEYS - kept, {}, nil
for i = 1, limits do
  local count = (redis.call('HGET', KEYS[kept + i], ARGV[3 * i + 4]) or 0) + 0
  if count >= ARGV[3 * i + 5] + 0 then
    reached = reached or {3, now}
    reached[#reached + 1] = i
    reached[#reached + 1] = count
  end
  counts[i] = count
end
if reached then
  return reached
end

local i = 1
while i <= limits do
  local key, field, expiry, last = KEYS[kept + i], ARGV[3 * i + 4], ARGV[3 * i + 6], i
  if KEYS[kept + i + 1] == key then -- two at a time
    last = i + 1
    redis.call('HSET', key, field, counts[i] + 1, ARGV[3 * last + 4], counts[last] + 1)
  else
    redis.call('HSET', key, field, counts[i] + 1)
  end
  if expiry == '-1' then
    redis.call('PERSIST', key)
  elseif redis.call('PEXPIRETIME', key) ~= expiry + 0 then
    redis.call('PEXPIREAT', key, expiry)
  end
  i = last + 1
end
redis.call('HSET', KEYS[1], token, clock[1] .. ' ' .. clock[2] .. '\n' .. ARGV[2])
if redis.call('PEXPIRETIME', KEYS[1]) ~= ARGV[6] + 0 then
  redis.call('PEXPIREAT', KEYS[1], ARGV[6])
end
return {1, now}
