-- Reserves all lines of an order, or none. The same order again changes nothing. Orders whose time is over are ended first, a few at each
-- call, and many where the stock does not suffice.
--   KEYS  those of common.lua; in front of which fast.lua stands
--   ARGV  1 see common.lua  2 how long the order may be confirmed, µs  3 token  4 user  5... item, quantity, item, quantity, and so on; each item
--         once
--   result  deadline, {deadline, serial} of one unit: reserved; {"ok", order} reserved now or before, and ended since perhaps; {"token"} the
--           token was used for something else; {"preparing"}; {"closed"}; {"item", item} unknown; {"soldout", item}, "soldout" of one item; {"quota", item}; {"again"}
--           there is more to end first: call again
local FEW, MANY = 16, 1000
local token, user = ARGV[3], ARGV[4]
if call('HGET', KEYS[2], token) then
  local order = tools()(token)
  if not order then
    return {'again'} -- it was forgotten this moment
  end
  local same = order[3] == user and #order - 3 == (#ARGV - 4) / 2 * 3
  for i = 5, same and #ARGV or 0, 2 do
    local k = (i - 5) / 2 * 3 + 4
    same = same and order[k] == ARGV[i] and order[k + 1] == tonumber(ARGV[i + 1])
  end
  return same and {'ok', order} or {'token'}
end

local _, sweep, _, _, within = tools()
local next, swept = call('HGET', KEYS[1], ''), 0
local open = next and next ~= 'closed'
if not open or next + 0 <= now then
  local expired, forgotten = sweep(FEW)
  next, swept = call('HGET', KEYS[1], ''), expired + forgotten
end
if not open then
  return {next or 'preparing'}
end
local items, owned, why, which = {}, {}
for i = 5, #ARGV, 2 do
  local name, quantity = ARGV[i], ARGV[i + 1] + 0
  local text = call('HGET', KEYS[1], name)
  if not text then
    return {'item', name}
  end
  local item = {cmsgpack.unpack(text)}
  if quantity > item[LEFT] then
    why, which = 'soldout', name
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
  return {'again'}
end

local deadline, units = now + ARGV[2], false
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
return deadline
