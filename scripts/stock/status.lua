-- Describes a sale. An audit reads every order that is remembered, to count what the reserved orders
-- hold. Changes nothing.
--   KEYS    those of common.lua
--   ARGV    1 see common.lua  2 "status" or "audit"
--   result  {'ok', phase, {item, its fields, ...}}; an audit adds
--           {item, quantity that orders hold, ...}, number of orders and serials, number of orders
--           that are due at some time, number of units, 1 if an order is due before the time at
--           which scripts look for it, {item, ...} the items whose units are not numbered as a queue
local items, fields = {}, call('HGETALL', KEYS[1])
for i = 1, #fields, 2 do
  if fields[i] ~= '' then
    items[#items + 1] = fields[i]
    items[#items + 1] = {cmsgpack.unpack(fields[i + 1])}
  end
end
local next = call('HGET', KEYS[1], '')
local open = next and next ~= 'closed'
local phase = open and 'open' or next or 'preparing'
if ARGV[2] == 'status' then
  return {'ok', phase, items}
end

local PAGE = 1000
local reserved, list, at = {}, {}, 0
repeat
  local tokens = call('ZRANGE', KEYS[3], at, at + PAGE - 1)
  at = at + PAGE
  for _, token in ipairs(tokens) do
    local text = call('HGET', KEYS[2], token)
    local order = text and {cmsgpack.unpack(text)} or {}
    for i = 4, order[1] == 'reserved' and #order or 0, 3 do
      reserved[order[i]] = (reserved[order[i]] or 0) + order[i + 1]
    end
  end
until #tokens < PAGE
for item, quantity in pairs(reserved) do
  list[#list + 1] = item -- redmoon:disable pairs-order -- the caller makes a map of the list
  list[#list + 1] = quantity
end
local queues = {}
for i = 1, #items, 2 do
  local name, left, head = items[i], items[i + 1][LEFT], items[i + 1][HEAD]
  local function there(n)
    return call('HEXISTS', KEYS[5], n .. ':' .. name) == 1
  end
  if head
    and (there(head) or there(head + left + 1)
      or left > 0 and not (there(head + 1) and there(head + left)))
  then
    queues[#queues + 1] = name
  end
end
local late = open and tonumber(first()) < tonumber(next)
return {
  'ok', phase, items, list, call('HLEN', KEYS[2]), call('ZCARD', KEYS[3]), call('HLEN', KEYS[5]),
  late and 1 or 0, queues,
}
