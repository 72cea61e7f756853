-- Tells how a sale stands. An audit also counts anew what the reserved orders hold: it looks at each order that is remembered.
--   KEYS  those of common.lua
--   ARGV  1 see common.lua  2 "report" or "audit"
--   result  {"ok", phase, {item, its fields, ...}}; of an audit also {item, quantity reserved, ...}, orders, due, units, serials, and 1 if
--           something is due before next
local items, fields = {}, call('HGETALL', KEYS[1])
for i = 1, #fields, 2 do
  if string.sub(fields[i], 1, 5) == 'item:' then
    items[#items + 1] = string.sub(fields[i], 6)
    items[#items + 1] = {cmsgpack.unpack(fields[i + 1])}
  end
end
local phase = call('HGET', KEYS[1], 'phase') or 'preparing'
if ARGV[2] == 'report' then
  return {'ok', phase, items}
end

local PAGE = 1000
local reserved, list, first = {}, {}, 0
repeat
  local tokens = call('ZRANGE', KEYS[3], first, first + PAGE - 1)
  first = first + PAGE
  for _, token in ipairs(tokens) do
    local text = call('HGET', KEYS[2], token)
    local order = text and {cmsgpack.unpack(text)} or {}
    for i = 4, order[1] == 'reserved' and #order or 0, 3 do
      reserved[order[i]] = (reserved[order[i]] or 0) + order[i + 1]
    end
  end
until #tokens < PAGE
for item, quantity in pairs(reserved) do
  list[#list + 1] = item
  list[#list + 1] = quantity
end
local next, early = call('HGET', KEYS[1], 'next'), call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')[2]
local late = early and early ~= 'inf' and (not next or tonumber(early) < tonumber(next))
return {'ok', phase, items, list, call('HLEN', KEYS[2]), call('ZCARD', KEYS[3]), call('HLEN', KEYS[5]), call('HLEN', KEYS[6]), late and 1 or 0}
