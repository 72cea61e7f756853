-- Does with messages what their handler has decided, and frees their memory.
--   KEYS  1 ready (stream)  2 delayed (zset)  3 ids (zset)  4 dead (stream)  5 meta (hash); one slot
--   ARGV  1 group  2 consumer  3 ms for which the id of a committed message is remembered
--         then for each message: entry, how often it has been handed out, attempt, verdict, detail
--         verdict and detail: "commit" and its id; "retry" and ms of delay; "dead" and the reason; "drop" and "" for what is no message
--   result  {1 settled | 0 it was not the caller's any more, ...}
-- A commit counts whoever has the message: its work is done. All else is for the one that it was handed to last. What is written comes before
-- what is removed, so that a script that fails half-way loses nothing.
local ready, delayed, ids, dead, meta = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local group, consumer, retention = ARGV[1], ARGV[2], tonumber(ARGV[3])
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)

local result, entries, scores = {}, {}, {}
local count, others = 0, false
for i = 4, #ARGV, 5 do
  if ARGV[i + 3] == 'commit' then
    count = count + 1
    entries[count] = ARGV[i]
    scores[2 * count - 1], scores[2 * count] = now + retention, ARGV[i + 4]
    result[(i + 1) / 5] = 1
  else
    others = true
  end
end

if count > 0 then
  if redis.call('XACK', ready, group, unpack(entries)) == count then
    redis.call('XDEL', ready, unpack(entries))
  else -- what was not settled before is still in the stream
    count, scores = 0, {}
    for i = 4, #ARGV, 5 do
      if ARGV[i + 3] == 'commit' then
        local done = redis.call('XDEL', ready, ARGV[i])
        if done == 1 then
          count = count + 1
          scores[2 * count - 1], scores[2 * count] = now + retention, ARGV[i + 4]
        end
        result[(i + 1) / 5] = done
      end
    end
  end
end
if count > 0 then
  if retention > 0 then
    redis.call('ZADD', ids, 'XX', unpack(scores))
  else
    for i = 2, 2 * count, 2 do
      redis.call('ZREM', ids, scores[i])
    end
  end
  local total = redis.call('HINCRBY', meta, 'commit', count)
  if total % 64 < count then -- every 64 messages, those that are to be forgotten
    local old = redis.call('ZRANGEBYSCORE', ids, '(0', now, 'LIMIT', 0, 128 + 2 * count)
    if #old > 0 then
      redis.call('ZREM', ids, unpack(old))
    end
  end
end
if not others then
  return result
end

local function field(fields, name)
  for i = 1, #fields, 2 do
    if fields[i] == name then
      return fields[i + 1]
    end
  end
  return ''
end

-- Moves a message that the caller has still to where its retries or the dead letters are.
local function move(verdict, entry, times, attempt, detail)
  local p = redis.call('XPENDING', ready, group, entry, entry, 1)[1]
  if not p or p[2] ~= consumer or p[4] ~= tonumber(times) then
    return 0
  end
  local e = redis.call('XRANGE', ready, entry, entry)[1]
  if not e then
    redis.call('XACK', ready, group, entry) -- somebody has deleted it
    return 0
  end
  local fields = e[2]
  if verdict == 'dead' then
    redis.call('XADD', dead, '*', 'reason', detail, 'attempts', attempt, unpack(fields))
  else
    local id, payload, delay = field(fields, 'id'), field(fields, 'payload'), tonumber(detail)
    if delay > 0 then
      local seq = redis.call('HINCRBY', meta, 'seq', 1)
      redis.call('ZADD', delayed, now + delay, string.format('%016.0f %d %d ', seq, attempt + 1, #id) .. id .. payload)
    else
      redis.call('XADD', ready, '*', 'id', id, 'payload', payload, 'attempt', attempt + 1)
    end
  end
  redis.call('XACK', ready, group, entry)
  redis.call('XDEL', ready, entry)
  redis.call('HINCRBY', meta, verdict, 1)
  return 1
end

for i = 4, #ARGV, 5 do
  local place, verdict = (i + 1) / 5, ARGV[i + 3]
  if verdict == 'drop' then
    redis.call('XACK', ready, group, ARGV[i])
    result[place] = redis.call('XDEL', ready, ARGV[i])
  elseif verdict ~= 'commit' then
    result[place] = move(verdict, ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 4])
  end
end
return result
