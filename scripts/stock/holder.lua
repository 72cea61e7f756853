-- Returns the token of the order that has a unit.
--   KEYS    those of common.lua
--   ARGV    1 see common.lua  2 item  3 serial
--   result  {'ok', token}, the token is '' if no order has the unit
--           {'unknown unit', item}
local find, _, _, _, within = tools()
local field = within(ARGV[2], ARGV[3])
local token = call('HGET', KEYS[2], field)
if not token then
  return {'unknown unit', ARGV[2]}
end
if token ~= '' then
  find(token) -- gives the unit back if the order has expired
  token = call('HGET', KEYS[2], field)
end
return {'ok', token}
