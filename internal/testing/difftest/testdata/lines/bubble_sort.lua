local t = {5, 2, 4, 1}
local swapped
repeat
  swapped = false
  for i = 1, #t - 1 do
    if t[i] > t[i + 1] then
      t[i], t[i + 1] = t[i + 1], t[i]
      swapped = true
    end
  end
until not swapped
return t
