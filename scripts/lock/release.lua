-- Gives a lock back, if the caller still holds it.
--   KEYS  1 lock
--   ARGV  1 token of the holder
--   result  1 released; 0 it is not the caller's
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
