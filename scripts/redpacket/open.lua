-- Adds packets to an activity.
--   KEYS  1 grabbed (hash)  2 packets (list)  3 records (list); one slot
--   ARGV  1 "first" when the activity must not exist yet, else "more"; 2... packets, JSON
--   result  1, or 0 when the activity exists already
if ARGV[1] == 'first' and redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3]) > 0 then
  return 0
end
for i = 2, #ARGV do
  redis.call('LPUSH', KEYS[2], ARGV[i])
end
return 1
