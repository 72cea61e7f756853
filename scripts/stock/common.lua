-- What the scripts of a sale share; it stands in front of each of them.
--   KEYS    1 items (hash)  2 orders (hash)  3 due (sorted set)  4 users (hash)  5 units (hash);
--           all in one slot
--   ARGV    1 how long an order is remembered after it ended, in us, or "ever"
--
-- An order is stored as the MessagePack of: state, time in us, user, then for each line item,
-- quantity, serials or false. The time of a reserved order is its deadline; that of any other order
-- is when it ended. A supply is stored as an order with the state "supplied".
--
-- An item is stored under its name as left, quota, sold, supplied and, if it is sold by unit, head:
-- the units numbered from head + 1 to head + left are left. What is neither left nor sold is
-- reserved. The field '' of items is absent while the sale is prepared and "closed" once it is
-- closed. While it is open, the field is a time before which nothing is due, or NEVER.
--
-- Names are UTF-8 and not empty, so the byte 255 can join two of them to one field. In users a field
-- is an item and a user. In orders, beside the tokens, a field is an item and the serial of a unit;
-- its value is the token of the order that has the unit, empty if none has.
local call = redis.call
local LEFT, QUOTA, SOLD, SUPPLIED, HEAD = 1, 2, 3, 4, 5
local NEVER = '1e300'
local time = call('TIME')
local now = time[1] * 1000000 + time[2]

-- Returns the time of the order that is due first.
local function first()
  local due = call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')[2]
  if not due or due == 'inf' then
    return NEVER
  end
  return due
end

-- Creates the functions that follow; only some paths need them.
local function tools()
  local remember = tonumber(ARGV[1]) or math.huge -- "ever" is not a number

  -- Returns the field for a user or serial of an item.
  local function within(item, name)
    return item .. '\255' .. name
  end

  -- Stores that an order ended at a time, and when it is forgotten.
  local function finish(token, order, state, at)
    order[1], order[2] = state, at
    local due = at + remember
    call('ZADD', KEYS[3], due, token)
    call('HSET', KEYS[2], token, cmsgpack.pack(unpack(order)))
    local next = call('HGET', KEYS[1], '')
    if next and next ~= 'closed' and due < next + 0 then
      call('HSET', KEYS[1], '', due)
    end
  end

  local function forget(token)
    call('ZREM', KEYS[3], token) -- first: of the two keys, only KEYS[2] was read so far
    call('HDEL', KEYS[2], token)
  end

  -- Gives back what a reserved order holds, and ends the order.
  local function free(token, order, state, at)
    for _, i in ipairs({1, 4, 5}) do
      call('HLEN', KEYS[i]) -- a key of another type must fail before the first write
    end
    call('ZCARD', KEYS[3])
    for i = 4, #order, 3 do
      local name, quantity, serials = order[i], order[i + 1], order[i + 2]
      local item = {cmsgpack.unpack(call('HGET', KEYS[1], name))}
      for k, serial in ipairs(serials or {}) do
        call('HSET', KEYS[5], item[HEAD] + item[LEFT] + k .. ':' .. name, serial)
        call('HSET', KEYS[2], within(name, serial), '')
      end
      item[LEFT] = item[LEFT] + quantity
      call('HSET', KEYS[1], name, cmsgpack.pack(unpack(item)))
      local field = within(name, order[3])
      if call('HINCRBY', KEYS[4], field, -quantity) == 0 then
        call('HDEL', KEYS[4], field)
      end
    end
    finish(token, order, state, at)
  end

  -- Ends and forgets orders that are due, at most limit. Returns how many expired and how many were
  -- forgotten.
  local function sweep(limit)
    local next = call('HGET', KEYS[1], '')
    local expired, due = 0, call('ZRANGEBYSCORE', KEYS[3], '-inf', now, 'LIMIT', 0, limit)
    for _, token in ipairs(due) do
      local text = call('HGET', KEYS[2], token)
      local order = text and {cmsgpack.unpack(text)}
      if order and order[1] == 'reserved' then
        free(token, order, 'expired', order[2])
        expired = expired + 1
      else
        forget(token)
      end
    end
    if next and next ~= 'closed' then
      call('HSET', KEYS[1], '', first())
    end
    return expired, #due - expired
  end

  -- Returns the order of a token, or nil. First does what is due for the order, so the result does
  -- not depend on whether it was swept.
  local function find(token)
    local text = call('HGET', KEYS[2], token)
    if not text then
      return nil
    end
    local order = {cmsgpack.unpack(text)}
    if order[1] == 'reserved' and order[2] <= now then
      free(token, order, 'expired', order[2])
    end
    if order[1] ~= 'reserved' and order[2] + remember <= now then
      forget(token)
      return nil
    end
    return order
  end

  return find, sweep, finish, free, within
end
