local function worker(name, n)
  return coroutine.create(function()
    for i = 1, n do
      coroutine.yield(name .. i)
    end
  end)
end
local all, out = {worker('a', 2), worker('b', 3)}, {}
while #all > 0 do
  for i = #all, 1, -1 do
    local ok, v = coroutine.resume(all[i])
    if v then
      out[#out + 1] = v
    else
      table.remove(all, i)
    end
  end
end
return out
