-- Releases a reserved order: what it holds goes back to the stock. Releasing it again changes
-- nothing.
--   KEYS    those of common.lua
--   ARGV    1 see common.lua  2 token
--   result  {'ok', order}
--           'unknown order'
--           {'expired', order}
--           {'confirmed', order}
local find, _, _, free = tools()
local order = find(ARGV[2])
if not order or order[1] == 'supplied' then
  return 'unknown order'
end
if order[1] == 'reserved' then
  free(ARGV[2], order, 'released', now)
end
return {order[1] == 'released' and 'ok' or order[1], order}
