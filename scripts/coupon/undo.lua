-- Takes back a claim, once: every counter that it raised, and that is still there, goes down by one.
--   KEYS  1 claims that the token is in  2... the counter keys of the claim; one slot
--   ARGV  1 token  2 the claim as it must be  3 the claim as it will be; for each counter key: how many fields, the fields
--   result  1 taken back; 0 the claim is another by now: nothing has changed
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then
  return 0
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
return 1
