local outer = coroutine.wrap(function()
  local inner = coroutine.wrap(function()
    coroutine.yield(1)
    coroutine.yield(2)
  end)
  coroutine.yield(inner())
  coroutine.yield(inner() * 10)
end)
return {outer(), outer()}
