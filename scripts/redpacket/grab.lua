-- Takes one packet for a user, writes a record of it, and hands the record to settlement.
--   KEYS  1 grabbed (hash)  2 packets (list)  3 records (list)  4 activity (hash)  5 settlement (stream); one slot
--   ARGV  1 user
--   result  {1, packet} taken now; {2, packet} taken before; {3} none left; {4} not open; {5} expired;
--           a packet is "rest cents id", rest the cents in it and in those behind it
-- A call that is repeated changes nothing: whoever has a packet is told which, before anything else is looked at.
local call = redis.call
local before = call('HGET', KEYS[1], ARGV[1])
if before then
  return {2, before}
end
local deadline = call('HGET', KEYS[4], 'until')
if deadline ~= 'never' then
  if not deadline then
    return {4}
  end
  if deadline == 'closed' then
    return {5}
  end
  local now = call('TIME')
  if now[1] * 1000 + math.floor(now[2] / 1000) >= tonumber(deadline) then
    return {5}
  end
end
local packet = call('LINDEX', KEYS[2], 0)
if not packet then
  return {3}
end
local cents, id = string.match(packet, '^%d+ (%d+) (.*)$')
-- An id is JSON as it is: Open refuses others.
local record = '{"id":"' .. id .. '","amount":' .. cents .. ',"user":' .. cjson.encode(ARGV[1]) .. '}'
-- The two keys that nothing was read from come first: what is no stream or no list ends the script before anything is taken.
local entry = call('XADD', KEYS[5], '*', 'id', id, 'payload', record)
local pushed = redis.pcall('RPUSH', KEYS[3], record)
if type(pushed) == 'table' then
  call('XDEL', KEYS[5], entry)
  return pushed
end
call('LPOP', KEYS[2])
call('HSET', KEYS[1], ARGV[1], packet)
return {1, packet}
