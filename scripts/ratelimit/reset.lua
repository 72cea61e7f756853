-- Forgets what was taken.
--   KEYS    1 state of any algorithm
--   result  {'ok', 1} there was something; {'ok', 0} there was nothing
return {'ok', redis.call('DEL', KEYS[1])}
