-- Adds items to a sale, or changes the quotas of items that exist.
--   KEYS    those of common.lua
--   ARGV    1 see common.lua  2... for each item: name, "counter" or "units", quota or 0 for none
--   result  'ok'
--           {'strategy', item} the item exists with the other strategy; nothing is changed
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
return 'ok'
