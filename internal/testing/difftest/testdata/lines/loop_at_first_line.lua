for i = 1, 2 do redis.call('INCR', 'n') end for i = 1, 2 do
  redis.call('INCR', 'n') end
return redis.call('GET', 'n')
