local n, steps = 27, 0
while n ~= 1 and steps < 20 do
  if n % 2 == 0 then
    n = n / 2
  else
    n = 3 * n + 1
  end
  steps = steps + 1
end
return steps
