-- Closes an activity, and adds what is left to the settlement stream as a refund to the sender.
--   KEYS    1 grabbed (hash)  2 packets (list)  3 records (list)  4 activity (hash)
--           5 settlement (stream); all in one slot
--   ARGV    1 id of the refund
--   result  {'expired', packets, cents, sender} closed now; what goes back
--           {'already expired', packets, cents, sender} closed before; what went back then
--           'not due' before the deadline
--           'not open' there is no such activity
-- A repeated call changes nothing and returns the same numbers.
local deadline, packets, total, sender, keep, left, refunded =
  unpack(redis.call('HMGET', KEYS[4],
    'until', 'packets', 'total', 'sender', 'keep', 'left', 'refunded'))
if not total then
  return 'not open'
end
if deadline == 'closed' then
  return {'already expired', left, refunded, sender}
end
if deadline and deadline ~= 'never' then
  local now = redis.call('TIME')
  if now[1] * 1000 + math.floor(now[2] / 1000) < tonumber(deadline) then
    return 'not due'
  end
end
left = tonumber(packets) - redis.call('HLEN', KEYS[1])
if deadline then -- the next packet says how much is in it and behind it
  refunded = string.match(redis.call('LINDEX', KEYS[2], 0) or '0', '^%d+')
else
  redis.call('LLEN', KEYS[2]) -- fails if the key has another type
  refunded = total
end
if left > 0 then
  redis.call('XADD', KEYS[5], '*', 'id', ARGV[1],
    'payload', '{"id":' .. cjson.encode(ARGV[1]) .. ',"amount":' .. refunded
      .. ',"user":' .. cjson.encode(sender) .. ',"refund":true}')
end
redis.call('HSET', KEYS[4], 'until', 'closed', 'left', left, 'refunded', refunded)
redis.call('UNLINK', KEYS[2])
if keep ~= '0' then
  for _, key in ipairs({KEYS[1], KEYS[3], KEYS[4]}) do
    redis.call('PEXPIRE', key, keep)
  end
end
return {'expired', left, refunded, sender}
