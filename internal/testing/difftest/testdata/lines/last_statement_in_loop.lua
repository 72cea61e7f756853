local function find(t, x)
  for i, v in ipairs(t) do
    if v == x then return i end
  end
end
local function first(t)
  for _, v in ipairs(t) do return v end
end
while true do break end
return {find({'a', 'b'}, 'b'), first({7}), find({}, 1) == nil and 0}
