-- Removes a consumer that has no messages in hand from the group.
--   KEYS    1 ready (stream)
--   ARGV    1 group  2 consumer
--   result  'ok'
--           'busy' it has messages in hand; other consumers will take them over
if #redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 1, ARGV[2]) > 0 then
  return 'busy'
end
redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], ARGV[2])
return 'ok'
