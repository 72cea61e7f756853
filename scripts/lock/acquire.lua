-- Takes a lock that nobody holds.
--   KEYS  1 lock
--   ARGV  1 token of the new holder  2 time to live in ms
--   result  1 taken; 0 somebody holds it
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  return 1
end
return 0
