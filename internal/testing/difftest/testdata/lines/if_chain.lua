local function name(n)
  if n == 1 then
    return 'one'
  elseif n == 2 then
    return 'two'
  elseif n == 3 then
    return 'three'
  else
    return 'many'
  end
end
return {name(1), name(2), name(3), name(4)}
