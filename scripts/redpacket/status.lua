-- Describes an activity, and returns a page of its records. Changes nothing. state.lua stands in
-- front.
--   KEYS    1 grabbed (hash)  2 packets (list)  3 records (list)  4 activity (hash)
--           5 settlement (stream); all in one slot
--   ARGV    1 offset of the first record, the oldest has 0  2 number of records
--   result  {state, deadline in ms or 0, all packets, packets left, users, records, all cents,
--            cents given, cents refunded, packets refunded, {record, ...}}
--           records are oldest first; cents are text
--           state: 'absent' no such activity, 'loading', 'open', 'due' past its deadline, 'closed'
local digest, deadline, packets, total, refunded, left =
  unpack(redis.call('HMGET', KEYS[4], 'digest', 'until', 'packets', 'total', 'refunded', 'left'))
local now = state(digest, deadline)
local rest = total or 0
if now == 'closed' then
  rest = refunded
elseif now == 'open' or now == 'due' then -- the next packet says how much is in it and behind it
  rest = string.match(redis.call('LINDEX', KEYS[2], 0) or '0', '^%d+')
end
local page = {}
local first, count = tonumber(ARGV[1]), tonumber(ARGV[2])
if count > 0 then
  page = redis.call('LRANGE', KEYS[3], first, first + count - 1)
end
return {
  now, (now == 'open' or now == 'due') and tonumber(deadline) or 0, tonumber(packets or 0),
  redis.call('LLEN', KEYS[2]), redis.call('HLEN', KEYS[1]), redis.call('LLEN', KEYS[3]),
  total or '0', string.format('%.0f', (total or 0) - rest), refunded or '0',
  tonumber(left or 0), page,
}
