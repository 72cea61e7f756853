local function counter()
  local n = 0
  return function()
    n = n + 1
    return n
  end, function()
    return n
  end
end
local up, get = counter()
up()
up()
return get()
