-- Puts messages into a queue, each unless its id is known already.
--   KEYS  1 ready (stream)  2 delayed (zset)  3 ids (zset)  4 meta (hash); one slot
--   ARGV  1 most messages that may wait, 0 for any number  2 longest wait of a consumer in ms
--         3 "now", "after" or "at"  4 ms of delay, or Unix time in ms  5.. id, payload; id, payload ...
--   result  {1 queued | 0 duplicate, ...}; or {-1}, and nothing is changed: the queue is full
-- A delayed message is a member "seq attempt length-of-id id payload" with the time that it is due as its score. The score of an id is 0 while
-- its message is in the queue, and later the time at which it is forgotten.
local ready, delayed, ids, meta = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local most, wait, kind, when = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local due = now
if kind == 'after' then
  due = now + when
elseif kind == 'at' then
  due = when
end

local result, seen, fresh = {}, {}, 0
for i = 5, #ARGV, 2 do
  local id = ARGV[i]
  local score = redis.call('ZSCORE', ids, id)
  if seen[id] or score and (score == '0' or tonumber(score) > now) then
    result[#result + 1] = 0
  else
    seen[id] = true
    fresh = fresh + 1
    result[#result + 1] = 1
  end
end
local waiting = redis.call('XLEN', ready) + redis.call('ZCARD', delayed)
if most > 0 and fresh > 0 and waiting + fresh > most then
  return {-1}
end

local seq, first
if due > now and fresh > 0 then
  seq = redis.call('HINCRBY', meta, 'seq', fresh) - fresh
  first = redis.call('ZRANGE', delayed, 0, 0, 'WITHSCORES')[2]
end
for i = 1, #result do
  if result[i] == 1 then
    local id, payload = ARGV[3 + 2 * i], ARGV[4 + 2 * i]
    if due > now then
      seq = seq + 1
      redis.call('ZADD', delayed, due, string.format('%016.0f 1 %d ', seq, #id) .. id .. payload)
    else
      redis.call('XADD', ready, '*', 'id', id, 'payload', payload)
    end
    redis.call('ZADD', ids, 0, id)
  end
end
if seq and due - now < wait and (not first or due < tonumber(first)) then
  redis.call('XADD', ready, '*', 'wake', 1) -- a consumer that waits would be late
end
return result
