-- Claims a coupon for a user, if all three limits allow it.
--   KEYS  1 day (hash)  2 users (hash)  3 total (number); one slot
--   ARGV  1 user  2 limit per user and day  3 limit per user  4 limit in total  5 seconds to keep the day
--         a limit of 0 is none
--   result  {0, claims in total}; {1} day limit, {2} user limit, {3} sold out
local function reached(count, limit)
  limit = tonumber(limit)
  return limit > 0 and tonumber(count or 0) >= limit
end
if reached(redis.call('HGET', KEYS[1], ARGV[1]), ARGV[2]) then
  return {1}
end
if reached(redis.call('HGET', KEYS[2], ARGV[1]), ARGV[3]) then
  return {2}
end
if reached(redis.call('GET', KEYS[3]), ARGV[4]) then
  return {3}
end
if redis.call('HINCRBY', KEYS[1], ARGV[1], 1) == 1 then
  redis.call('EXPIRE', KEYS[1], ARGV[5])
end
redis.call('HINCRBY', KEYS[2], ARGV[1], 1)
return {0, redis.call('INCR', KEYS[3])}
