#!lua name=shop
-- A library of functions. Its text runs once, when it is loaded.
-- fcall stock a
-- fcall stock
-- fcall sell a , 3
-- fcall sell a , 0
local function helper(keys)                --> 1 | calls helper 4
  if #keys == 0 then                       --> 4 | true 1 false 3
    return nil, redis.error_reply('no key') --> 1
  end
  return keys[1]                           --> 3
end
local function stock(keys)                 --> 1 | calls stock 2
  local key, problem = helper(keys)        --> 2
  return problem or redis.call('get', key) --> 2 | true 1 false 1
end
redis.register_function('stock', stock)    --> 1
redis.register_function{                   --> 1
  function_name = 'sell',
  callback = function(keys, args)          --> - | calls callback 2
    local key = helper(keys)               --> 2
    for _ = 1, args[1] do                  --> 2 | some 1 none 1
      redis.call('incr', key)              --> 3
    end
    return 'OK'                            --> 2
  end,
}
redis.register_function('unused', function() --> 1 | calls anonymous 0
  return 1                                 --> 0
end)
