-- Takes one packet for a user.
--   KEYS  1 grabbed (hash)  2 packets (list)  3 records (list); one slot
--   ARGV  1 user
--   result  {1, id, amount} taken now; {0, id, amount} taken before; {-1} none left
local before = redis.call('HGET', KEYS[1], ARGV[1])
if before then
  local record = cjson.decode(before)
  return {0, record.id, record.amount}
end
local packet = redis.call('RPOP', KEYS[2])
if not packet then
  return {-1}
end
local record = cjson.decode(packet)
record.user = ARGV[1]
local text = cjson.encode(record)
redis.call('HSET', KEYS[1], ARGV[1], text)
redis.call('LPUSH', KEYS[3], text)
return {1, record.id, record.amount}
