local t = {10, 20, 30}
local out = {}
for i, v in ipairs(t) do
  out[#out + 1] = i * v
end
for k, v in pairs(t) do
  out[k] = out[k] + v
end
return out
