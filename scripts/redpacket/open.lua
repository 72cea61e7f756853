-- Loads one part of the packets of an activity. The part that completes them opens the activity.
--   KEYS    1 grabbed (hash)  2 packets (list)  3 records (list)  4 activity (hash)
--           5 settlement (stream); all in one slot
--   ARGV    1 digest of all packets and options  2 number of all packets  3 number of all cents
--           4 ms until the activity expires, 0 for never  5 sender
--           6 ms to keep an expired activity, 0 for ever  7 number of packets before this part
--           8... the packets of this part, each "rest cents id"; rest is the cents in it and in all
--           packets behind it
--   result  {'loaded', packets loaded so far} some are still missing
--           'open' all are loaded, now or before
--           'exists' another activity of this name exists
--           'expired'
-- A repeated call changes nothing: a part is loaded only if it follows what is loaded.
local digest, loaded, deadline = unpack(redis.call('HMGET', KEYS[4], 'digest', 'loaded', 'until'))
if digest then
  if digest ~= ARGV[1] then
    return 'exists'
  elseif deadline == 'closed' then
    return 'expired'
  elseif deadline then
    return 'open'
  end
elseif redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3]) > 0 then
  return 'exists'
end
loaded = tonumber(loaded or 0)
if tonumber(ARGV[7]) ~= loaded or loaded + #ARGV - 7 > tonumber(ARGV[2]) then
  return {'loaded', loaded}
end
redis.call('XLEN', KEYS[5]) -- fails if the key has another type
redis.call('RPUSH', KEYS[2], unpack(ARGV, 8))
if not digest then
  redis.call('HSET', KEYS[4], 'digest', ARGV[1], 'packets', ARGV[2], 'total', ARGV[3],
    'sender', ARGV[5], 'keep', ARGV[6])
end
loaded = loaded + #ARGV - 7
redis.call('HSET', KEYS[4], 'loaded', loaded)
if loaded < tonumber(ARGV[2]) then
  return {'loaded', loaded}
end
deadline = 'never'
if ARGV[4] ~= '0' then
  local now = redis.call('TIME')
  deadline = string.format('%.0f', now[1] * 1000 + math.floor(now[2] / 1000) + tonumber(ARGV[4]))
end
redis.call('HSET', KEYS[4], 'until', deadline)
return 'open'
