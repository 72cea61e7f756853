-- Tells who holds a unit.
--   KEYS  those of common.lua
--   ARGV  1 see common.lua  2 item  3 serial
--   result  {"ok", token of the order, "" for none}; {"unit", item} the item has no such unit
local find, _, _, _, within = tools()
local field = within(ARGV[2], ARGV[3])
local token = call('HGET', KEYS[2], field)
if not token then
  return {'unit', ARGV[2]}
end
if token ~= '' then
  find(token) -- which returns the unit if the order's time is over
  token = call('HGET', KEYS[2], field)
end
return {'ok', token}
