it('x', function()
  local a = = 1
end)
