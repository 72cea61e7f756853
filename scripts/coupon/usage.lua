-- Returns the counts of some limits. Changes nothing.
--   KEYS    1... counters (hash), a key for each window; all in one slot
--   ARGV    1 2 microseconds between which (2 is exclusive) the keys are the right ones
--           3... for each key: number of fields, the fields
--   result  {'wrong time', now} the clock is not between them; now is in microseconds
--           {'ok', count, ...} in the order of ARGV
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
if now < tonumber(ARGV[1]) or now >= tonumber(ARGV[2]) then
  return {'wrong time', now}
end
local result, at = {'ok'}, 3
for k = 1, #KEYS do
  local n = tonumber(ARGV[at])
  local counts = redis.call('HMGET', KEYS[k], unpack(ARGV, at + 1, at + n))
  for i = 1, n do
    result[#result + 1] = tonumber(counts[i] or 0)
  end
  at = at + n + 1
end
return result
