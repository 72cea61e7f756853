-- Confirms a reserved order: what it holds is sold. Confirming it again changes nothing.
--   KEYS    those of common.lua  6 ready (stream), if confirmed orders are added to one
--   ARGV    1 see common.lua  2 token
--   result  {'ok', order}
--           'unknown order'
--           {'expired', order}
--           {'released', order}
local find, _, finish = tools()
local token = ARGV[2]
local order = find(token)
if not order or order[1] == 'supplied' then
  return 'unknown order'
end
if order[1] == 'reserved' then
  call('HLEN', KEYS[1])
  call('ZCARD', KEYS[3])
  if KEYS[6] then
    local lines = {}
    for i = 4, #order, 3 do
      lines[#lines + 1] = {item = order[i], quantity = order[i + 1], serials = order[i + 2] or nil}
    end
    -- This is the first write: if it fails, nothing was changed.
    call('XADD', KEYS[6], '*', 'id', token,
      'payload', cjson.encode({
        id = token, user = order[3], lines = lines, confirmed = math.floor(now / 1000),
      }))
  end
  for i = 4, #order, 3 do
    local item = {cmsgpack.unpack(call('HGET', KEYS[1], order[i]))}
    item[SOLD] = item[SOLD] + order[i + 1]
    call('HSET', KEYS[1], order[i], cmsgpack.pack(unpack(item)))
  end
  finish(token, order, 'confirmed', now)
end
return {order[1] == 'confirmed' and 'ok' or order[1], order}
