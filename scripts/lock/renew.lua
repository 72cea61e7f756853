-- Makes a lock that the lease holds live longer; never shorter than before.
--   KEYS    1 lock
--   ARGV    1 lease  2 time to live in ms
--   result  'renewed'
--           'not held' the lease has ended; nothing is changed
if redis.call('HEXISTS', KEYS[1], 'lease:' .. ARGV[1]) == 0 then
  return 'not held'
end
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 'renewed'
