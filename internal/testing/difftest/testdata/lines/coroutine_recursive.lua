local function walk(t)
  if type(t) == 'table' then
    for _, v in ipairs(t) do
      walk(v)
    end
  else
    coroutine.yield(t)
  end
end
local out = {}
for leaf in coroutine.wrap(function() walk({1, {2, {3}}, 4}) end) do
  out[#out + 1] = leaf
end
return out
