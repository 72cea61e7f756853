-- What the scripts of a limiter share; it stands in front of each of them.
--   ARGV    the last one is the amount to take; if it is negative, the script changes nothing and
--           returns what it would decide for that amount
--   result  {'allowed' or 'limited', amount left, us until the amount asked for is left, us until
--           everything is left}
local n = ARGV[#ARGV] + 0
local peek = n < 0
if peek then
  n = -n
end
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
