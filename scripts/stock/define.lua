-- Adds items to a sale, or changes the quotas of those that are there.
--   KEYS  those of common.lua
--   ARGV  1 see common.lua; 2... item, strategy ("counter" or "units"), quota (0 is none), and so on
--   result  {"ok"}; {"strategy", item} the item is sold in the other way
local items = {}
for i = 2, #ARGV, 3 do
  local text = call('HGET', KEYS[1], ARGV[i])
  local units = ARGV[i + 1] == 'units'
  local item = text and {cmsgpack.unpack(text)} or {0, 0, 0, 0, units and 0 or nil}
  if units ~= (item[HEAD] ~= nil) then
    return {'strategy', ARGV[i]}
  end
  item[QUOTA] = tonumber(ARGV[i + 2])
  items[i] = cmsgpack.pack(unpack(item))
end
for i = 2, #ARGV, 3 do
  call('HSET', KEYS[1], ARGV[i], items[i])
end
return {'ok'}
