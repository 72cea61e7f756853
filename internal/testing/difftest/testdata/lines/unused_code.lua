local function never()
  local a = 1
  return a
end
if false then
  never()
end
local a = true or never()
do return a and 1 end
