-- Reserves all lines of an order, or none. Repeated with the same order, it changes nothing. Ends
-- orders whose deadline has passed first: a few in each call, and many if the stock does not suffice.
--   KEYS    those of common.lua; fast.lua stands in front of it
--   ARGV    1 see common.lua  2 how long the order can be confirmed, us  3 token  4 user
--           5... item, quantity, item, quantity and so on; each item once
--   result  {'reserved', deadline} reserved now, as ordered
--           {'reserved', deadline, serial} the same for one unit
--           {'ok', order} reserved now or before, and perhaps ended since
--           'token reused'
--           'not open'
--           'closed'
--           {'unknown item', item}
--           {'sold out', item}
--           {'quota', item}
--           'again' there are more orders to end: call again
local FEW, MANY = 16, 1000
local token, user = ARGV[3], ARGV[4]
if call('HGET', KEYS[2], token) then
  local order = tools()(token)
  if not order then
    return 'again' -- it was forgotten just now
  end
  local same = order[3] == user and #order - 3 == (#ARGV - 4) / 2 * 3
  for i = 5, same and #ARGV or 0, 2 do
    local k = (i - 5) / 2 * 3 + 4
    same = same and order[k] == ARGV[i] and order[k + 1] == tonumber(ARGV[i + 1])
  end
  return same and {'ok', order} or 'token reused'
end

local _, sweep, _, _, within = tools()
local next, swept = call('HGET', KEYS[1], ''), 0
local open = next and next ~= 'closed'
if not open or next + 0 <= now then
  local expired, forgotten = sweep(FEW)
  next, swept = call('HGET', KEYS[1], ''), expired + forgotten
end
if not open then
  return next or 'not open'
end
local items, owned, why, which = {}, {}
for i = 5, #ARGV, 2 do
  local name, quantity = ARGV[i], ARGV[i + 1] + 0
  local text = call('HGET', KEYS[1], name)
  if not text then
    return {'unknown item', name}
  end
  local item = {cmsgpack.unpack(text)}
  if quantity > item[LEFT] then
    why, which = 'sold out', name
    break
  end
  local count = (call('HGET', KEYS[4], within(name, user)) or 0) + quantity
  if item[QUOTA] > 0 and count > item[QUOTA] then
    why, which = 'quota', name
    break
  end
  items[i], owned[i] = item, count
end
if why then
  if swept < FEW then
    return {why, which}
  end
  sweep(MANY)
  return 'again'
end

local deadline, units = now + tonumber(ARGV[2]), false
local order = {'reserved', deadline, user}
for i = 5, #ARGV, 2 do
  local name, quantity, item, serials = ARGV[i], ARGV[i + 1] + 0, items[i], false
  if item[HEAD] then
    units, serials = true, {}
    for k = 1, quantity do
      serials[k] = call('HGET', KEYS[5], item[HEAD] + k .. ':' .. name)
    end
  end
  local n = #order
  order[n + 1], order[n + 2], order[n + 3] = name, quantity, serials
end
call('ZADD', KEYS[3], deadline, token)
call('HSET', KEYS[2], token, cmsgpack.pack(unpack(order)))
for i = 5, #ARGV, 2 do
  local name, quantity, item = ARGV[i], ARGV[i + 1] + 0, items[i]
  item[LEFT] = item[LEFT] - quantity
  if item[HEAD] then
    for k, serial in ipairs(order[(i - 5) / 2 * 3 + 6]) do
      call('HDEL', KEYS[5], item[HEAD] + k .. ':' .. name)
      call('HSET', KEYS[2], within(name, serial), token)
    end
    item[HEAD] = item[HEAD] + quantity
  end
  call('HSET', KEYS[1], name, cmsgpack.pack(unpack(item)))
  call('HSET', KEYS[4], within(name, user), owned[i])
end
if deadline < next + 0 then
  call('HSET', KEYS[1], '', deadline)
end
if units then
  return {'ok', order}
end
return {'reserved', deadline}
