local function upto(n)
  local i = 0
  return function()
    i = i + 1
    if i <= n then
      return i
    end
  end
end
local sum = 0
for i in upto(3) do
  sum = sum + i
end
return sum
