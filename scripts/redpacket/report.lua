-- Tells how an activity stands.
--   KEYS  1 grabbed (hash)  2 packets (list)  3 records (list); one slot
--   ARGV  1 offset of the first record, the oldest being 0  2 how many records
--   result  {packets left, users, records, {record, ...}}, records oldest first
local n = redis.call('LLEN', KEYS[3])
local first, count = tonumber(ARGV[1]), tonumber(ARGV[2])
local page = {}
if count > 0 and first < n then
  local newest_first = redis.call('LRANGE', KEYS[3], -first - count, -first - 1)
  for i = #newest_first, 1, -1 do
    page[#page + 1] = newest_first[i]
  end
end
return {redis.call('LLEN', KEYS[2]), redis.call('HLEN', KEYS[1]), n, page}
