local fs = {}
for i = 1, 5 do
  local x = i * 2
  fs[i] = function() return x + i end
  if x > 5 then
    break
  end
end
local sum = 0
for _, f in ipairs(fs) do
  sum = sum + f()
end
return sum
