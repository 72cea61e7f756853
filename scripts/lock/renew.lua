-- Sets the time to live of a lock anew, if the caller still holds it.
--   KEYS  1 lock
--   ARGV  1 token of the holder  2 time to live in ms
--   result  1 renewed; 0 it is not the caller's
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 0
