-- Hands the next messages to a consumer: those whose consumer has vanished, then those that are ready, after those that are due were made ready.
--   KEYS  1 ready (stream)  2 delayed (zset)  3 ids (zset); one slot
--   ARGV  1 group  2 consumer  3 most messages  4 visibility time-out in ms  5 Unix time in ms from which to look for messages of consumers
--         that have vanished  6 where the last look ended
--   result  {now in ms, ms until the next delayed message is due or -1, where this look ended or "" without one,
--           entries taken over, how often each has been handed out, entries taken}
--           an entry is {id of the entry, {field, value, ...}}
local ready, delayed, ids = KEYS[1], KEYS[2], KEYS[3]
local group, consumer, most, visibility = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)

-- A command that needs the group, which is made when it is not there.
local function grouped(...)
  local reply = redis.pcall(...)
  if type(reply) ~= 'table' or not reply.err then
    return reply
  end
  if string.sub(reply.err, 1, 7) == 'NOGROUP' then
    redis.call('XGROUP', 'CREATE', ready, group, '0', 'MKSTREAM')
  end
  return redis.call(...)
end

-- How long it is until the first delayed message is due: -1 without one, 0 when it is due.
local function due()
  local first = redis.call('ZRANGE', delayed, 0, 0, 'WITHSCORES')[2]
  return first and math.max(0, tonumber(first) - now) or -1
end

local wait = due()
if wait == 0 then
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', delayed, '-inf', now, 'LIMIT', 0, most)) do
    local attempt, length, from = string.match(member, '^%d+ (%d+) (%d+) ()')
    local id = string.sub(member, from, from + length - 1)
    redis.call('XADD', ready, '*', 'id', id, 'payload', string.sub(member, from + length), 'attempt', attempt)
    redis.call('ZREM', delayed, member)
  end
  wait = due()
end

local cursor, over, times = '', {}, {}
if now >= tonumber(ARGV[5]) then
  local reply = grouped('XAUTOCLAIM', ready, group, consumer, visibility, ARGV[6], 'COUNT', most)
  cursor, over = reply[1], reply[2]
  for i, entry in ipairs(over) do
    times[i] = redis.call('XPENDING', ready, group, entry[1], entry[1], 1)[1][4]
  end
  for _, c in ipairs(redis.call('XINFO', 'CONSUMERS', ready, group)) do
    -- c is {"name", name, "pending", number, "idle", ms}
    if c[4] == 0 and c[6] > 100 * visibility and c[2] ~= consumer then
      redis.call('XGROUP', 'DELCONSUMER', ready, group, c[2])
    end
  end
  local old = redis.call('ZRANGEBYSCORE', ids, '(0', now, 'LIMIT', 0, 1000)
  if #old > 0 then
    redis.call('ZREM', ids, unpack(old))
  end
end

local taken = {}
if #over < most then
  local reply = grouped('XREADGROUP', 'GROUP', group, consumer, 'COUNT', most - #over, 'STREAMS', ready, '>')
  taken = reply and reply[1][2] or {}
end

return {now, wait, cursor, over, times, taken}
