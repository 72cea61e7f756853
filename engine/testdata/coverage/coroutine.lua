-- call
local co = coroutine.create(function(a)    --> 1 | calls anonymous 1
  local b = coroutine.yield(a + 1)         --> 1
  if b then                                --> 1 | true 1 false 0
    b = coroutine.yield(b + 1)             --> 1
    return 'never'                         --> 0
  end
  return b                                 --> 0
end)
local _, x = coroutine.resume(co, 1)       --> 1
local _, y = coroutine.resume(co, x)       --> 1
return {x, y, coroutine.status(co)}        --> 1
