-- Opens or closes a sale.
--   KEYS    those of common.lua
--   ARGV    1 see common.lua  2 "open" or "closed"
--   result  'ok'
local phase = 'closed'
if ARGV[2] == 'open' then
  phase = first()
end
call('HSET', KEYS[1], '', phase)
return 'ok'
