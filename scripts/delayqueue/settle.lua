-- Carries out the decisions of a handler, and removes what is done.
--   KEYS    1 ready (stream)  2 delayed (zset)  3 ids (zset)  4 dead (stream)  5 meta (hash); all in
--           one slot
--   ARGV    1 group  2 consumer  3 ms for which the id of a committed message is remembered
--           4 number of messages to commit; then their entries; then for each of them any text (the
--           script replaces it by the time until which the id is remembered) and its id
--           then for each other message: entry, how often it was handed out, attempt, verdict, detail
--           verdict and detail: "retry" and ms of delay; "dead" and the reason; "drop" and "" for an
--           entry that is not a message
--   result  {'ok', number of messages not settled, because another consumer has them}
-- A commit counts for every consumer: the work is done. Other verdicts count only for the consumer
-- that got the message last. The script writes before it removes, so an error half-way loses nothing.
local call = redis.call
local ready, ids, meta, group = KEYS[1], KEYS[3], KEYS[5], ARGV[1]
local n = tonumber(ARGV[4])
local t = call('TIME')
local us = t[1] * 1000000 + t[2]
local now = (us - us % 1000) / 1000

local lost = 0
if n > 0 then
  local retention, from, to = 1000 * tonumber(ARGV[3]), n + 5, 3 * n + 4 -- ARGV[from] to ARGV[to] are times and ids
  if n == 1 and call('XACK', ready, group, ARGV[5]) == 1 then
    call('XDEL', ready, ARGV[5])
  elseif n > 1 and call('XACK', ready, group, unpack(ARGV, 5, n + 4)) == n then
    call('XDEL', ready, unpack(ARGV, 5, n + 4))
  else -- messages that were not settled before are still in the stream
    to = from - 1
    for i = 1, n do
      if call('XDEL', ready, ARGV[i + 4]) == 1 then
        to = to + 2
        ARGV[to] = ARGV[n + 4 + 2 * i]
      else
        lost = lost + 1
      end
    end
  end
  local count = n - lost
  if count > 0 then
    if retention > 0 and n == 1 then
      call('ZADD', ids, 'XX', us + retention, ARGV[7])
    elseif retention > 0 then
      local till = string.format('%.0f', us + retention)
      for i = from, to, 2 do
        ARGV[i] = till
      end
      call('ZADD', ids, 'XX', unpack(ARGV, from, to))
    else
      for i = from + 1, to, 2 do
        call('ZREM', ids, ARGV[i])
      end
    end
    if call('HINCRBY', meta, 'commit', count) % 64 < count then -- every 64 messages, removes ids to be forgotten
      local old = call('ZRANGEBYSCORE', ids, '(0', us, 'LIMIT', 0, 128 + 2 * count)
      if #old > 0 then
        call('ZREM', ids, unpack(old))
      end
    end
  end
end
if #ARGV == 3 * n + 4 then
  return {'ok', lost}
end

local delayed, dead, consumer = KEYS[2], KEYS[4], ARGV[2]

local function field(fields, name)
  for i = 1, #fields, 2 do
    if fields[i] == name then
      return fields[i + 1]
    end
  end
  return ''
end

-- Moves a message to the delayed messages or the dead letters, if the consumer still has it.
local function move(verdict, entry, times, attempt, detail)
  local p = call('XPENDING', ready, group, entry, entry, 1)[1]
  if not p or p[2] ~= consumer or p[4] ~= tonumber(times) then
    return 0
  end
  local e = call('XRANGE', ready, entry, entry)[1]
  if not e then
    call('XACK', ready, group, entry) -- it was deleted
    return 0
  end
  local fields = e[2]
  if verdict == 'dead' then
    call('XADD', dead, '*', 'reason', detail, 'attempts', attempt, unpack(fields))
  else
    local id, payload, delay = field(fields, 'id'), field(fields, 'payload'), tonumber(detail)
    if delay > 0 then
      local seq = call('HINCRBY', meta, 'seq', 1)
      call('ZADD', delayed, now + delay,
        string.format('%016.0f %d %d ', seq, tonumber(attempt) + 1, #id) .. id .. payload)
    else
      call('XADD', ready, '*', 'id', id, 'payload', payload, 'attempt', tonumber(attempt) + 1)
    end
  end
  call('XACK', ready, group, entry)
  call('XDEL', ready, entry)
  call('HINCRBY', meta, verdict, 1)
  return 1
end

for i = 3 * n + 5, #ARGV, 5 do
  local done
  if ARGV[i + 3] == 'drop' then
    call('XACK', ready, group, ARGV[i])
    done = call('XDEL', ready, ARGV[i])
  else
    done = move(ARGV[i + 3], ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 4])
  end
  lost = lost + 1 - done
end
return {'ok', lost}
