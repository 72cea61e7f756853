local a = 1
local function deep(n)
  if n == 0 then
    error('bottom')
  end
  deep(n - 1)
  return n
end
deep(3)
return a
