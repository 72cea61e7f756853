-- Takes a consumer that has nothing in hand off the list.
--   KEYS  1 ready (stream)
--   ARGV  1 group  2 consumer
--   result  1 gone; 0 it has messages in hand, which others will take over
if #redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 1, ARGV[2]) > 0 then
  return 0
end
redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], ARGV[2])
return 1
