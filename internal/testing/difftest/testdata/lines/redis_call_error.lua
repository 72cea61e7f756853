redis.call('SET', 'k', 'text')
local before = redis.call('GET', 'k')
redis.call('INCR',
  'k')
return before
