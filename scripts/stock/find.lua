-- Returns the order of a token.
--   KEYS    those of common.lua
--   ARGV    1 see common.lua  2 token
--   result  {'ok', order}
--           'unknown order'
local find = tools()
local order = find(ARGV[2])
if not order or order[1] == 'supplied' then
  return 'unknown order'
end
return {'ok', order}
