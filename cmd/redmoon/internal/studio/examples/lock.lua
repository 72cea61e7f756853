-- Takes a lock, or renews it for the owner who has it.
--   KEYS    1 lock
--   ARGV    1 owner  2 time to live in ms
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then
  return {'refused', redis.call('PTTL', KEYS[1])}
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return {owner and 'renewed' or 'acquired', tonumber(ARGV[2])}
