-- Tells the counts of some limits.
--   KEYS  1... counters, a key for each window; one slot
--   ARGV  1 2 the microseconds between which (the second excluded) the server's clock must stand for these keys to be the right ones;
--         for each key: how many fields, the fields
--   result  {0, now} the time is another, now in microseconds; {1, count, ...} in the order of ARGV
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
if now < tonumber(ARGV[1]) or now >= tonumber(ARGV[2]) then
  return {0, now}
end
local result, at = {1}, 3
for k = 1, #KEYS do
  local n = tonumber(ARGV[at])
  local counts = redis.call('HMGET', KEYS[k], unpack(ARGV, at + 1, at + n))
  for i = 1, n do
    result[#result + 1] = tonumber(counts[i] or 0)
  end
  at = at + n + 1
end
return result
