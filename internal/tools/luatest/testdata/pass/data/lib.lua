#!lua name=mylib
redis.register_function('add', function(keys, args)
  return redis.call('INCRBY', keys[1], args[1])
end)
redis.register_function('fail', function(keys, args)
  return redis.call('LPUSH', keys[1])
end)
