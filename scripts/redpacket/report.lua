-- Tells how an activity stands, and a page of its records. It changes nothing.
--   KEYS  1 grabbed (hash)  2 packets (list)  3 records (list)  4 activity (hash)  5 settlement (stream); one slot
--   ARGV  1 offset of the first record, the oldest being 0  2 how many records
--   result  {state, deadline in milliseconds or 0, packets in all, packets left, users, records, cents in all, cents given,
--            cents refunded, packets refunded, {record, ...}}, records oldest first, numbers of cents as text
--           state: 0 there is no such activity, 1 being loaded, 2 open, 3 past its deadline, 4 closed
local digest, deadline, packets, total, refunded, left =
  unpack(redis.call('HMGET', KEYS[4], 'digest', 'until', 'packets', 'total', 'refunded', 'left'))
local state, at = 2, 0
local rest = string.match(redis.call('LINDEX', KEYS[2], 0) or '0', '^%d+') -- the next packet knows
if not digest then
  state = 0
elseif not deadline then
  state, rest = 1, total
elseif deadline == 'closed' then
  state, rest = 4, refunded
elseif deadline ~= 'never' then
  at = tonumber(deadline)
  local now = redis.call('TIME')
  if now[1] * 1000 + math.floor(now[2] / 1000) >= at then
    state = 3
  end
end
local page = {}
local first, count = tonumber(ARGV[1]), tonumber(ARGV[2])
if count > 0 then
  page = redis.call('LRANGE', KEYS[3], first, first + count - 1)
end
return {state, at, tonumber(packets or 0), redis.call('LLEN', KEYS[2]), redis.call('HLEN', KEYS[1]), redis.call('LLEN', KEYS[3]),
  total or '0', string.format('%.0f', (total or 0) - rest), refunded or '0', tonumber(left or 0), page}
