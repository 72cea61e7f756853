local function f(n)
  if n == 0 then return end
  if n == 1 then return 1 end
  if n == 2 then return 1, 2 end
  return f(n - 1), f(n - 2)
end
f(0)
f(1)
f(2)
return {f(3)}
