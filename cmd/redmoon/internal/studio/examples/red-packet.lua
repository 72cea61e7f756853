-- Takes one packet for a user. Whoever asks again gets the same packet.
--   KEYS    1 packets (list of cents)  2 grabbed (hash: user to cents)
--   ARGV    1 user
local before = redis.call('HGET', KEYS[2], ARGV[1])
if before then
  return {'already grabbed', before}
end
local cents = redis.call('LPOP', KEYS[1])
if not cents then
  return 'empty'
end
redis.call('HSET', KEYS[2], ARGV[1], cents)
local left = redis.call('LLEN', KEYS[1])
redis.log(redis.LOG_NOTICE, ARGV[1] .. ' got ' .. cents .. ' cents, ' .. left .. ' packets are left')
return {'grabbed', cents, left}
