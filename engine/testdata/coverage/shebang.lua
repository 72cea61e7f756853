#!lua flags=no-writes
-- The first line is not a part of the text.
-- call a
-- call
if #KEYS == 0 then return 0 end            --> 2 | true 1 false 1
return redis.call('exists', KEYS[1])       --> 1
