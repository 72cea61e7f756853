-- Errors of commands: caught, returned, raised.
-- call s
-- call
redis.call('del', 's')                     --> 2
redis.call('set', 's', 'text')             --> 2
local v = redis.pcall('incr', 's')         --> 2
if type(v) == 'table' and v.err then       --> 2 | true 2 false 0 | true 2 false 0
  v = 'caught'                             --> 2
end
local ok = pcall(redis.call, 'incr', 's')  --> 2
if ok then                                 --> 2 | true 0 false 2
  v = 'never'                              --> 0
end
if #KEYS == 1 then                         --> 2 | true 1 false 1
  redis.call('incr', KEYS[1])              --> 1
  v = 'never'                              --> 0
end
return v                                   --> 1
