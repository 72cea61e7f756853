local co = coroutine.create(function(a, b)
  local c = coroutine.yield(a + b)
  local d, e = coroutine.yield(c * 2)
  return d + e
end)
local _, x = coroutine.resume(co, 1, 2)
local _, y = coroutine.resume(co, x)
local _, z = coroutine.resume(co, x, y)
return {x, y, z, coroutine.status(co)}
