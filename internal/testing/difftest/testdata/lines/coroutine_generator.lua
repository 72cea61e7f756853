local gen = coroutine.wrap(function()
  for i = 1, 3 do
    coroutine.yield(i)
  end
end)
local sum = 0
for v in gen do
  sum = sum + v
end
return sum
