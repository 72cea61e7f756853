-- Closes an activity, and hands what is left to settlement, as a refund to the sender.
--   KEYS  1 grabbed (hash)  2 packets (list)  3 records (list)  4 activity (hash)  5 settlement (stream); one slot
--   ARGV  1 id of the refund
--   result  {1, packets, cents, sender} closed now, with what goes back; {2, packets, cents, sender} closed before, with what went
--           back then; {3} before its deadline; {4} there is no such activity
-- A call that is repeated changes nothing and gets the same numbers.
local deadline, packets, total, sender, keep, left, refunded =
  unpack(redis.call('HMGET', KEYS[4], 'until', 'packets', 'total', 'sender', 'keep', 'left', 'refunded'))
if not total then
  return {4}
end
if deadline == 'closed' then
  return {2, left, refunded, sender}
end
if deadline and deadline ~= 'never' then
  local now = redis.call('TIME')
  if now[1] * 1000 + math.floor(now[2] / 1000) < tonumber(deadline) then
    return {3}
  end
end
left = packets - redis.call('HLEN', KEYS[1])
if deadline then -- the next packet knows
  refunded = string.match(redis.call('LINDEX', KEYS[2], 0) or '0', '^%d+')
else
  redis.call('LLEN', KEYS[2]) -- ends the script where there is something else
  refunded = total
end
if left > 0 then
  redis.call('XADD', KEYS[5], '*', 'id', ARGV[1], 'payload', '{"id":' .. cjson.encode(ARGV[1]) .. ',"amount":' .. refunded
    .. ',"user":' .. cjson.encode(sender) .. ',"refund":true}')
end
redis.call('HSET', KEYS[4], 'until', 'closed', 'left', left, 'refunded', refunded)
redis.call('UNLINK', KEYS[2])
if keep ~= '0' then
  for _, key in ipairs({KEYS[1], KEYS[3], KEYS[4]}) do
    redis.call('PEXPIRE', key, keep)
  end
end
return {1, left, refunded, sender}
