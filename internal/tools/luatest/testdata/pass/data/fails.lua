redis.call('SET', KEYS[1], 'written')
return redis.call('LPUSH', KEYS[1], twice(1))
