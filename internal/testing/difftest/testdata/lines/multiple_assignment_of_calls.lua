local function two()
  return 1, 2
end
local a, b, c = two()
local d, e = (two())
local f, g = two(), 3
local h,
  i =
  0,
  two()
return {a, b, f, g, h, i}
