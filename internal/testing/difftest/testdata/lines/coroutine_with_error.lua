local co = coroutine.create(function()
  coroutine.yield(1)
  error('inside')
end)
local a, b = coroutine.resume(co)
local c, d = coroutine.resume(co)
local e, f = coroutine.resume(co)
return {b, tostring(d), f}
