-- Describes a queue. Changes nothing.
--   KEYS    1 ready (stream)  2 delayed (zset)  3 ids (zset)  4 dead (stream)  5 meta (hash); all in
--           one slot
--   ARGV    1 group
--   result  {'ok', ready, in hand, delayed, dead, ids, consumers, ms for which the oldest ready
--           message has waited, committed, retried, died}; the last three since the queue was created
local ready, group = KEYS[1], ARGV[1]
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local length, pending, consumers, delivered = redis.call('XLEN', ready), 0, 0, '0-0'
if length > 0 or redis.call('EXISTS', ready) == 1 then
  for _, g in ipairs(redis.call('XINFO', 'GROUPS', ready)) do
    local of = {}
    for i = 1, #g, 2 do
      of[g[i]] = g[i + 1]
    end
    if of.name == group then
      pending, consumers, delivered = of.pending, of.consumers, of['last-delivered-id']
    end
  end
end
local age, oldest = 0, redis.call('XRANGE', ready, '(' .. delivered, '+', 'COUNT', 1)[1]
if oldest then
  age = math.max(0, now - tonumber(string.match(oldest[1], '^%d+')))
end
local meta = redis.call('HMGET', KEYS[5], 'commit', 'retry', 'dead')
return {
  'ok', length - pending, pending,
  redis.call('ZCARD', KEYS[2]), redis.call('XLEN', KEYS[4]), redis.call('ZCARD', KEYS[3]),
  consumers, age, tonumber(meta[1] or 0), tonumber(meta[2] or 0), tonumber(meta[3] or 0),
}
