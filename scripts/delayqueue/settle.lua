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

local function remove(entry)
  redis.call('XACK', ready, group, entry)
  redis.call('XDEL', ready, entry)
end

-- The fields of an entry, if the caller has it still.
local function own(entry, times)
  local p = redis.call('XPENDING', ready, group, entry, entry, 1)[1]
  if not p or p[2] ~= consumer or p[4] ~= tonumber(times) then
    return nil
  end
  local e = redis.call('XRANGE', ready, entry, entry)[1]
  if not e then
    redis.call('XACK', ready, group, entry) -- somebody has deleted it
    return nil
  end
  return e[2]
end

local function field(fields, name)
  for i = 1, #fields, 2 do
    if fields[i] == name then
      return fields[i + 1]
    end
  end
  return ''
end

local count = {commit = 0, retry = 0, dead = 0}
local decide = {}

function decide.commit(entry, _, _, id)
  if redis.call('XACK', ready, group, entry) == 0 then
    return 0
  end
  redis.call('XDEL', ready, entry)
  if retention > 0 then
    redis.call('ZADD', ids, 'XX', now + retention, id)
  else
    redis.call('ZREM', ids, id)
  end
  return 1
end

function decide.drop(entry)
  remove(entry)
  return 1
end

function decide.retry(entry, times, attempt, delay)
  local fields = own(entry, times)
  if not fields then
    return 0
  end
  local id, payload = field(fields, 'id'), field(fields, 'payload')
  attempt, delay = attempt + 1, tonumber(delay)
  if delay > 0 then
    local seq = redis.call('HINCRBY', meta, 'seq', 1)
    redis.call('ZADD', delayed, now + delay, string.format('%016.0f %d %d ', seq, attempt, #id) .. id .. payload)
  else
    redis.call('XADD', ready, '*', 'id', id, 'payload', payload, 'attempt', attempt)
  end
  remove(entry)
  return 1
end

function decide.dead(entry, times, attempt, reason)
  local fields = own(entry, times)
  if not fields then
    return 0
  end
  redis.call('XADD', dead, '*', 'reason', reason, 'attempts', attempt, unpack(fields))
  remove(entry)
  return 1
end

local result = {}
for i = 4, #ARGV, 5 do
  local verdict = ARGV[i + 3]
  local done = decide[verdict](ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 4])
  if count[verdict] then
    count[verdict] = count[verdict] + done
  end
  result[#result + 1] = done
end
for verdict, n in pairs(count) do
  if n > 0 then
    redis.call('HINCRBY', meta, verdict, n)
  end
end
local old = redis.call('ZRANGEBYSCORE', ids, '(0', now, 'LIMIT', 0, 2 * #result)
if #old > 0 then
  redis.call('ZREM', ids, unpack(old))
end
return result
