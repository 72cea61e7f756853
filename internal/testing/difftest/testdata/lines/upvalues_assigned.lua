local a, b = 1, 2
local function swap()
  a, b = b, a
end
swap()
swap()
swap()
return {a, b}
