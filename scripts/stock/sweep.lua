-- Ends reserved orders whose time is over, and forgets orders that have ended long ago; the oldest first.
--   KEYS  those of common.lua
--   ARGV  1 see common.lua  2 of how many orders at most
--   result  {"ok", expired, forgotten}
local _, sweep = tools()
local expired, forgotten = sweep(ARGV[2])
return {'ok', expired, forgotten}
