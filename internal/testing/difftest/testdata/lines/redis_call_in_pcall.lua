redis.call('SET', 'k', 'text')
local ok, e = pcall(redis.call, 'LPUSH', 'k', 'x')
local ok2, e2 = pcall(function()
  return redis.call('LPUSH', 'k', 'x')
end)
return {type(e), type(e2)}
