local function twice(n)
  return n * 2
end
