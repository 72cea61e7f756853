local function yes(...)
  return true
end
local function no()
  return false
end
if yes() and no() or yes(
  1,
  2
) then
  return 'in'
end
return 'out'
