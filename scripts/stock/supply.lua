-- Adds to the stock of an item that is sold by a counter. Repeated with the same token, it changes
-- nothing.
--   KEYS    those of common.lua
--   ARGV    1 see common.lua  2 token  3 item  4 quantity  5 largest sum of all supplies
--   result  'ok'
--           'token reused'
--           {'unknown item', item}
--           {'strategy', item} not sold by a counter
--           {'too much', item} the sum would be too large
local find, _, finish = tools()
local token, name, quantity = ARGV[2], ARGV[3], tonumber(ARGV[4])
local before = find(token)
if before then
  local same = before[1] == 'supplied' and before[4] == name and before[5] == quantity
  return same and 'ok' or 'token reused'
end
local text = call('HGET', KEYS[1], name)
if not text then
  return {'unknown item', name}
end
local item = {cmsgpack.unpack(text)}
if item[HEAD] then
  return {'strategy', name}
end
if item[SUPPLIED] + quantity > tonumber(ARGV[5]) then
  return {'too much', name}
end
finish(token, {'', 0, '', name, quantity, false}, 'supplied', now)
item[LEFT], item[SUPPLIED] = item[LEFT] + quantity, item[SUPPLIED] + quantity
call('HSET', KEYS[1], name, cmsgpack.pack(unpack(item)))
return 'ok'
