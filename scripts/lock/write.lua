-- Writes a register, unless it was written with a later fencing token.
--   KEYS    1 register
--   ARGV    1 fencing token  2 value
--   result  'written'
--           'stale' a later token was written; nothing is changed
local last = redis.call('HGET', KEYS[1], 'token')
if last and tonumber(last) > tonumber(ARGV[1]) then
  return 'stale'
end
redis.call('HSET', KEYS[1], 'token', ARGV[1], 'value', ARGV[2])
return 'written'
