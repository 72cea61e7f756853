local t = {}
for i = 1, 2 do
  t[i] = (nil or
    false) or
    i
  t[i + 2] = 1 and
    'a' or
    'b'
end
local x = not
  nil
local y = (1 == 1)
  and 2
local z = 1 > 2 or
  1 <= 2
return {t[1], t[4], x, y, z}
