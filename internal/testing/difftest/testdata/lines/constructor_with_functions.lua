local t = {
  function()
    return 1
  end,
  two = function() return 2 end,
  [3] = function()
    return 3
  end
}
return t[1]() + t.two() + t[3]()
