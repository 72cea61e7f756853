-- Puts messages into a queue, each unless its id is remembered.
--   KEYS    1 ready (stream)  2 delayed (zset)  3 ids (zset)  4 meta (hash); all in one slot
--   ARGV    1 most messages in the queue, 0 for no limit  2 longest wait of a consumer in ms
--           3 "now", "after" or "at"  4 ms of delay, or Unix time in ms
--           5... for each message: id, payload
--   result  {'ok', 'queued' or 'duplicate' for each message}
--           'full' nothing is changed
--
-- A delayed message is a member "seq attempt length-of-id id payload"; its score is the time at which
-- it is due. The score of an id is the time in us at which it is forgotten. While its message is in
-- the queue, it is the negated time at which the message was enqueued. So few scores are equal, and
-- the scores of messages that are enqueued together are near each other.
local call = redis.call
local ready, delayed, ids, meta = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local most, wait, kind, when = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])

local function time()
  local t = call('TIME')
  return t[1] * 1000000 + t[2]
end

local function known(id)
  local score = call('ZSCORE', ids, id)
  score = score and tonumber(score)
  return score and (score < 0 or score > time())
end

if most > 0 then
  local seen, fresh = {}, 0
  for i = 5, #ARGV, 2 do
    local id = ARGV[i]
    if not seen[id] and not known(id) then
      seen[id], fresh = true, fresh + 1
    end
  end
  if fresh > 0 and call('XLEN', ready) + call('ZCARD', delayed) + fresh > most then
    return 'full'
  end
end

local now, due = 0, 0
if kind ~= 'now' then
  now, due = math.floor(time() / 1000), when
  if kind == 'after' then
    due = now + when
  end
end
local first = due > now and call('ZRANGE', delayed, 0, 0, 'WITHSCORES')[2]
local result, fresh = {'ok'}, 0
for i = 5, #ARGV, 2 do
  local id = ARGV[i]
  if known(id) then
    result[#result + 1] = 'duplicate'
  else
    local came
    if due > now then
      came = now
      local seq = call('HINCRBY', meta, 'seq', 1)
      call('ZADD', delayed, due, string.format('%016.0f 1 %d ', seq, #id) .. id .. ARGV[i + 1])
    else
      local entry = call('XADD', ready, '*', 'id', id, 'payload', ARGV[i + 1])
      came = string.sub(entry, 1, string.find(entry, '-', 1, true) - 1)
    end
    call('ZADD', ids, -1 - 1000 * came, id)
    result[#result + 1], fresh = 'queued', fresh + 1
  end
end
if fresh > 0 and due > now and due - now < wait and (not first or due < tonumber(first)) then
  call('XADD', ready, '*', 'wake', 1) -- wakes a consumer, which would wait too long
end
return result
