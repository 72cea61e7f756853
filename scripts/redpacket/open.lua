-- Loads one part of an activity's packets. The part that completes them opens the activity.
--   KEYS  1 grabbed (hash)  2 packets (list)  3 records (list)  4 activity (hash)  5 settlement (stream); one slot
--   ARGV  1 digest of all that is opened  2 packets in all  3 cents in all  4 milliseconds until it expires, 0 for never
--         5 sender  6 milliseconds to keep an expired activity, 0 for ever  7 packets before this part
--         8... the packets of this part, each "rest cents id", rest the cents in it and in those behind it
--   result  {1, packets loaded so far}; {2} all loaded, now or before; {3} another activity of this name exists; {4} expired
-- A call that is repeated changes nothing: a part is loaded only where it follows what is loaded.
local digest, loaded, deadline = unpack(redis.call('HMGET', KEYS[4], 'digest', 'loaded', 'until'))
if digest then
  if digest ~= ARGV[1] then
    return {3}
  elseif deadline == 'closed' then
    return {4}
  elseif deadline then
    return {2}
  end
elseif redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3]) > 0 then
  return {3}
end
loaded = tonumber(loaded or 0)
if tonumber(ARGV[7]) ~= loaded or loaded + #ARGV - 7 > tonumber(ARGV[2]) then
  return {1, loaded}
end
redis.call('XLEN', KEYS[5]) -- ends the script where there is something else
redis.call('RPUSH', KEYS[2], unpack(ARGV, 8))
if not digest then
  redis.call('HSET', KEYS[4], 'digest', ARGV[1], 'packets', ARGV[2], 'total', ARGV[3], 'sender', ARGV[5], 'keep', ARGV[6])
end
loaded = loaded + #ARGV - 7
redis.call('HSET', KEYS[4], 'loaded', loaded)
if loaded < tonumber(ARGV[2]) then
  return {1, loaded}
end
deadline = 'never'
if ARGV[4] ~= '0' then
  local now = redis.call('TIME')
  deadline = string.format('%.0f', now[1] * 1000 + math.floor(now[2] / 1000) + ARGV[4])
end
redis.call('HSET', KEYS[4], 'until', deadline)
return {2}
