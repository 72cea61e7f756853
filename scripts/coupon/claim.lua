-- Claims a coupon if every limit allows it; otherwise changes nothing. A token claims once.
--   KEYS    1... claims (hash: token to claim): first those of this period, then those of other
--           periods that may have the token; then counters (hash: field to count), one for each
--           limit, equal keys next to each other; all in one slot
--   ARGV    1 token  2 the claim as it is stored
--           3 4 microseconds between which (4 is exclusive) the keys are the right ones
--           5 number of keys of claims  6 when KEYS[1] expires
--           7... for each limit: its field, its maximum, when its key expires
--           expiry is in ms since 1970; -1 is never
--   result  {'claimed', now}
--           {'wrong time', now} the clock is not between the bounds
--           {'repeated', claim} the token claimed before
--           {'refused', i, count, ...} the limits that are reached, counted from 1, and their counts
--           now is in microseconds
local call = redis.call
local clock = call('TIME')
local now = clock[1] * 1000000 + clock[2]
if now < ARGV[3] + 0 or now >= ARGV[4] + 0 then
  return {'wrong time', now}
end
local token, kept, last = ARGV[1], ARGV[5] + 0, #KEYS
for k = 1, kept do
  local claim = call('HGET', KEYS[k], token)
  if claim then
    return {'repeated', claim}
  end
end

local counts, reached, at = {0, 0, 0}, nil, 7
for k = kept + 1, last do
  local count = (call('HGET', KEYS[k], ARGV[at]) or 0) + 0
  if count >= ARGV[at + 1] + 0 then
    reached = reached or {'refused'}
    reached[#reached + 1] = k - kept
    reached[#reached + 1] = count
  end
  counts[k - kept] = count + 1
  at = at + 3
end
if reached then
  return reached
end

local i = 1
while i <= #KEYS - kept do
  local key = KEYS[kept + i]
  at = 3 * i
  local expiry = ARGV[at + 6]
  if KEYS[kept + i + 1] == key then -- two fields in one call
    call('HSET', key, ARGV[at + 4], counts[i], ARGV[at + 7], counts[i + 1])
    i = i + 2
  else
    call('HSET', key, ARGV[at + 4], counts[i])
    i = i + 1
  end
  if expiry == '-1' then
    call('PERSIST', key)
  elseif call('PEXPIRETIME', key) ~= expiry + 0 then
    call('PEXPIREAT', key, expiry)
  end
end
call('HSET', KEYS[1], token, clock[1] .. ' ' .. clock[2] .. '\n' .. ARGV[2])
if call('PEXPIRETIME', KEYS[1]) ~= ARGV[6] + 0 then
  call('PEXPIREAT', KEYS[1], ARGV[6])
end
clock[1], clock[2] = 'claimed', now -- a new table would cost 5 % of a call
return clock
