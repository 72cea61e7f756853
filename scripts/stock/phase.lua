-- Opens or closes a sale.
--   KEYS    those of common.lua
--   ARGV    1 see common.lua  2 "open" or "closed"
--   result  'ok'
call('HSET', KEYS[1], '', ARGV[2] == 'open' and first() or 'closed')
return 'ok'
