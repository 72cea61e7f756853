-- Claims a coupon: a user at most twice, everybody together at most 100 times.
--   KEYS    1 claims (hash: user to count)  2 total
--   ARGV    1 user  2 limit of a user  3 limit of all
local mine = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or 0)
local total = tonumber(redis.call('GET', KEYS[2]) or 0)

local function refuse(reason, count)
  redis.log(redis.LOG_WARNING, 'refused: ' .. reason)
  return {'refused', reason, count}
end

if mine >= tonumber(ARGV[2]) then
  return refuse('user', mine)
end
if total >= tonumber(ARGV[3]) then
  return refuse('sold out', total)
end
redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
redis.call('INCR', KEYS[2])
return {'claimed', mine + 1, total + 1}
