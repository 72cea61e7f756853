-- Undoes a claim, once: every counter that it raised and that still exists is lowered by one.
--   KEYS    1 claims that have the token  2... the counters of the claim; all in one slot
--   ARGV    1 token  2 the claim as it must be stored  3 the claim after it is undone
--           4... for each counter key: number of fields, the fields
--   result  'undone'
--           'changed' the stored claim is another one; nothing is changed
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then
  return 'changed'
end
local lower, at = {}, 4
for k = 2, #KEYS do
  local n = tonumber(ARGV[at])
  local counts = redis.call('HMGET', KEYS[k], unpack(ARGV, at + 1, at + n))
  for i = 1, n do
    if counts[i] then
      lower[#lower + 1] = {KEYS[k], ARGV[at + i], tonumber(counts[i]) > 1}
    end
  end
  at = at + n + 1
end

for i = 1, #lower do
  local key, field, more = unpack(lower[i])
  if more then
    redis.call('HINCRBY', key, field, -1)
  else
    redis.call('HDEL', key, field)
  end
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 'undone'
