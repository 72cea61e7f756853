-- What the scripts of a sale share; it stands in front of each of them.
--   KEYS  1 items (hash)  2 orders (hash)  3 due (sorted set)  4 users (hash)  5 units (hash)  6 serials (hash); one slot
--   ARGV  1 how long an order that has ended is remembered: µs, or "ever"
--
-- An order is stored as the MessagePack of: state, time in µs, user, item, quantity, serials or false, item, quantity, and so on. The time of a reserved
-- order is its deadline, of any other when it ended. An item is stored as strategy, quota, left, reserved, sold, supplied, head, tail: of an item sold
-- by units, those numbered from head + 1 to tail are left. In items stand also the phase of the sale, and next, before which nothing is due.
local KEYS, ARGV, call = KEYS, ARGV, redis.call
local STRATEGY, QUOTA, LEFT, RESERVED, SOLD, SUPPLIED, HEAD, TAIL = 1, 2, 3, 4, 5, 6, 7, 8
local time = call('TIME')
local now = time[1] * 1000000 + time[2]

-- The functions that follow are made only where they are needed.
local function tools()
  local remember = ARGV[1] == 'ever' and math.huge or tonumber(ARGV[1])

  -- The field of something that belongs to an item; no two pairs have the same.
  local function within(item, name)
    return #item .. ':' .. item .. ':' .. name
  end

  local function finish(token, order, state, at)
    order[1], order[2] = state, at
    local due = at + remember
    call('ZADD', KEYS[3], due, token)
    call('HSET', KEYS[2], token, cmsgpack.pack(unpack(order)))
    local next = call('HGET', KEYS[1], 'next')
    if due < math.huge and (not next or due < tonumber(next)) then
      call('HSET', KEYS[1], 'next', due)
    end
  end

  local function forget(token)
    call('ZREM', KEYS[3], token) -- first: only KEYS[2] has been read by now
    call('HDEL', KEYS[2], token)
  end

  -- Returns what a reserved order holds to the stock.
  local function free(token, order, state, at)
    for _, i in ipairs({1, 4, 5, 6}) do
      call('HLEN', KEYS[i]) -- a key of a wrong type must fail before the first write
    end
    call('ZCARD', KEYS[3])
    for i = 4, #order, 3 do
      local name, quantity, serials = order[i], order[i + 1], order[i + 2]
      local item = {cmsgpack.unpack(call('HGET', KEYS[1], 'item:' .. name))}
      item[RESERVED], item[LEFT] = item[RESERVED] - quantity, item[LEFT] + quantity
      for _, serial in ipairs(serials or {}) do
        item[TAIL] = item[TAIL] + 1
        call('HSET', KEYS[5], item[TAIL] .. ':' .. name, serial)
        call('HSET', KEYS[6], within(name, serial), '')
      end
      call('HSET', KEYS[1], 'item:' .. name, cmsgpack.pack(unpack(item)))
      local field = within(name, order[3])
      if call('HINCRBY', KEYS[4], field, -quantity) == 0 then
        call('HDEL', KEYS[4], field)
      end
    end
    finish(token, order, state, at)
  end

  -- Does what is due, of at most limit orders. Returns how many have expired and how many are forgotten.
  local function sweep(limit)
    call('HLEN', KEYS[1])
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
    local first = call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')[2]
    if first and first ~= 'inf' then
      call('HSET', KEYS[1], 'next', first)
    else
      call('HDEL', KEYS[1], 'next')
    end
    return expired, #due - expired
  end

  -- The order of a token as it stands now, or nil; whether anybody has swept makes no difference.
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

