local function count(...)
  return select('#', ...)
end
local function rest(first, ...)
  local t = {...}
  for i = 1, #t do
    t[i] = t[i] * first
  end
  return unpack(t)
end
return {count(1, nil, 3), rest(2, 3, 4)}
