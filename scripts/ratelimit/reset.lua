-- Forgets what was taken.
--   KEYS  1 state or log
--   result  1 it was there; 0 it was not
return redis.call('DEL', KEYS[1])
