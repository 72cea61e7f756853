-- Returns what a user has and how many packets are left. Changes nothing. state.lua stands in front.
--   KEYS    1 grabbed (hash)  2 packets (list)  3 records (list)  4 activity (hash)
--           5 settlement (stream); all in one slot
--   ARGV    1 user
--   result  {state, packets left, packet or false}; a packet is "rest cents id"
--           state: 'absent' no such activity, 'loading', 'open', 'due' past its deadline, 'closed'
local digest, deadline = unpack(redis.call('HMGET', KEYS[4], 'digest', 'until'))
return {state(digest, deadline), redis.call('LLEN', KEYS[2]), redis.call('HGET', KEYS[1], ARGV[1])}
