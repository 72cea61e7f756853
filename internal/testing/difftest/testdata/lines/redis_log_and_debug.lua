redis.log(redis.LOG_DEBUG, 'text')
redis.debug('value', 1,
  {2})
local b = redis.breakpoint()
local sha = redis.sha1hex('')
return {#sha, b and 1 or 0}
