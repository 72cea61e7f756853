-- Makes delayed messages ready that are due, then hands messages to a consumer: first those of
-- vanished consumers, then those that are ready.
--   KEYS    1 ready (stream)  2 delayed (zset)  3 ids (zset); all in one slot
--   ARGV    1 group  2 consumer  3 most messages  4 visibility timeout in ms
--           5 Unix time in ms from which to look for messages of vanished consumers
--           6 where the last look ended
--   result  {'ok', now in ms, ms until the next delayed message is due or -1, {entry, ...} taken}
--           the ms are valid only if no entries were taken; if it looked, there follow
--           where the look ended, {entry, ...} taken over, {how often each of these was handed out}
--           an entry is {id of the entry, {field, value, ...}}
local call = redis.call
local ready, delayed = KEYS[1], KEYS[2]
local group, consumer, most = ARGV[1], ARGV[2], ARGV[3]
local t = call('TIME')
local us = t[1] * 1000000 + t[2]
local now = (us - us % 1000) / 1000

if call('ZCOUNT', delayed, '-inf', now) > 0 then
  for _, member in ipairs(call('ZRANGEBYSCORE', delayed, '-inf', now, 'LIMIT', 0, most)) do
    local attempt, length, from = string.match(member, '^%d+ (%d+) (%d+) ()')
    local id = string.sub(member, from, from + length - 1)
    call('XADD', ready, '*',
      'id', id, 'payload', string.sub(member, from + length), 'attempt', attempt)
    call('ZREM', delayed, member)
  end
end

local cursor, over, times
if now >= tonumber(ARGV[5]) then
  local ids, visibility = KEYS[3], tonumber(ARGV[4])
  local reply =
    redis.pcall('XAUTOCLAIM', ready, group, consumer, visibility, ARGV[6], 'COUNT', most)
  if reply.err then
    if string.sub(reply.err, 1, 7) == 'NOGROUP' then
      call('XGROUP', 'CREATE', ready, group, '0', 'MKSTREAM')
    end
    reply = call('XAUTOCLAIM', ready, group, consumer, visibility, ARGV[6], 'COUNT', most)
  end
  cursor, over, times = reply[1], reply[2], {}
  for i, entry in ipairs(over) do
    times[i] = call('XPENDING', ready, group, entry[1], entry[1], 1)[1][4]
  end
  for _, c in ipairs(call('XINFO', 'CONSUMERS', ready, group)) do
    -- c is {"name", name, "pending", number, "idle", ms}
    if c[4] == 0 and c[6] > 100 * visibility and c[2] ~= consumer then
      call('XGROUP', 'DELCONSUMER', ready, group, c[2])
    end
  end
  local old = call('ZRANGEBYSCORE', ids, '(0', us, 'LIMIT', 0, 1000)
  if #old > 0 then
    call('ZREM', ids, unpack(old))
  end
  most = most - #over
  if most == 0 then
    return {'ok', now, 0, {}, cursor, over, times}
  end
end

local reply =
  redis.pcall('XREADGROUP', 'GROUP', group, consumer, 'COUNT', most, 'STREAMS', ready, '>')
if reply and reply.err then
  if string.sub(reply.err, 1, 7) == 'NOGROUP' then
    call('XGROUP', 'CREATE', ready, group, '0', 'MKSTREAM')
  end
  reply = call('XREADGROUP', 'GROUP', group, consumer, 'COUNT', most, 'STREAMS', ready, '>')
end
if reply and not cursor then
  return {'ok', now, 0, reply[1][2]}
end
local first = call('ZRANGE', delayed, 0, 0, 'WITHSCORES')[2]
local wait, deliveries = -1, {}
if first then
  wait = math.max(0, first - now)
end
if reply then
  deliveries = reply[1][2]
end
return {'ok', now, wait, deliveries, cursor, over, times}
