-- Tells what a user has and how many packets are left. It changes nothing.
--   KEYS  1 grabbed (hash)  2 packets (list)  3 records (list)  4 activity (hash)  5 settlement (stream); one slot
--   ARGV  1 user
--   result  {state, packets left, packet or false}; a packet is "rest cents id"
--           state: 0 there is no such activity, 1 being loaded, 2 open, 3 past its deadline, 4 closed
local digest, deadline = unpack(redis.call('HMGET', KEYS[4], 'digest', 'until'))
local state = 2
if not digest then
  state = 0
elseif not deadline then
  state = 1
elseif deadline == 'closed' then
  state = 4
elseif deadline ~= 'never' then
  local now = redis.call('TIME')
  if now[1] * 1000 + math.floor(now[2] / 1000) >= tonumber(deadline) then
    state = 3
  end
end
return {state, redis.call('LLEN', KEYS[2]), redis.call('HGET', KEYS[1], ARGV[1])}
