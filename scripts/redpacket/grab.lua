-- Takes one packet for a user, writes a record of it, and adds the record to the settlement stream.
--   KEYS    1 grabbed (hash)  2 packets (list)  3 records (list)  4 activity (hash)
--           5 settlement (stream); all in one slot
--   ARGV    1 user
--   result  {'grabbed', packet} taken now
--           {'already grabbed', packet} taken before
--           'empty' no packet is left
--           'not open'
--           'expired'
--           a packet is "rest cents id"; rest is the cents in it and in all packets behind it
-- A repeated call changes nothing: a user who has a packet gets it returned before any other check.
local call = redis.call
local before = call('HGET', KEYS[1], ARGV[1])
if before then
  return {'already grabbed', before}
end
local deadline = call('HGET', KEYS[4], 'until')
if deadline ~= 'never' then
  if not deadline then
    return 'not open'
  end
  if deadline == 'closed' then
    return 'expired'
  end
  local now = call('TIME')
  if now[1] * 1000 + math.floor(now[2] / 1000) >= tonumber(deadline) then
    return 'expired'
  end
end
local packet = call('LINDEX', KEYS[2], 0)
if not packet then
  return 'empty'
end
local cents, id = string.match(packet, '^%d+ (%d+) (.*)$')
-- The id needs no escaping in JSON: Open refuses ids that would.
local record = '{"id":"' .. id .. '","amount":' .. cents
  .. ',"user":' .. cjson.encode(ARGV[1]) .. '}'
-- The two keys that were not read are written first. If one has another type, the script ends before
-- a packet is taken.
local entry = call('XADD', KEYS[5], '*', 'id', id, 'payload', record)
local pushed = redis.pcall('RPUSH', KEYS[3], record)
if type(pushed) == 'table' then
  call('XDEL', KEYS[5], entry)
  return pushed
end
call('LPOP', KEYS[2])
call('HSET', KEYS[1], ARGV[1], packet)
return {'grabbed', packet}
