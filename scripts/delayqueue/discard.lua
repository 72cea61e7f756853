-- Removes dead letters for good. Their ids are remembered as those of committed messages are.
--   KEYS    1 dead (stream)  2 ids (zset); all in one slot
--   ARGV    1 ms for which an id is remembered  2... entries of the dead stream
--   result  {'ok', number of dead letters removed}
local t = redis.call('TIME')
local us, retention = t[1] * 1000000 + t[2], 1000 * tonumber(ARGV[1])
local n = 0
for i = 2, #ARGV do
  local e = redis.call('XRANGE', KEYS[1], ARGV[i], ARGV[i])[1]
  if e then
    for k = 5, #e[2], 2 do -- behind reason and attempts
      if e[2][k] == 'id' then
        if retention > 0 then
          redis.call('ZADD', KEYS[2], 'XX', us + retention, e[2][k + 1])
        else
          redis.call('ZREM', KEYS[2], e[2][k + 1])
        end
      end
    end
    n = n + redis.call('XDEL', KEYS[1], ARGV[i])
  end
end
return {'ok', n}
