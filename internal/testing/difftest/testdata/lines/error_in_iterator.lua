local ok, e = pcall(function()
  for i in function(_, n)
    n = (n or 0) + 1
    if n > 2 then
      error('stop', 0)
    end
    return n
  end do
    local x = i
  end
end)
return e
