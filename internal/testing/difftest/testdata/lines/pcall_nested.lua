local ok, err = pcall(function()
  local inner, e = pcall(function()
    error({code = 1})
  end)
  if not inner then
    error('again: ' .. e.code)
  end
end)
return err
