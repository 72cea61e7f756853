-- Ends reserved orders whose deadline has passed, and forgets orders that ended long ago; the oldest
-- first.
--   KEYS    those of common.lua
--   ARGV    1 see common.lua  2 most orders to end or forget
--   result  {'ok', expired, forgotten} numbers of orders
local _, sweep = tools()
local expired, forgotten = sweep(ARGV[2])
return {'ok', expired, forgotten}
