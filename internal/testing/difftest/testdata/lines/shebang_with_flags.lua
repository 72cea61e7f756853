#!lua flags=no-writes,allow-stale

-- the line above is no code
local v = redis.call('GET',
  'nothing')
return v
