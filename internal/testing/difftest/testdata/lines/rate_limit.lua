-- keys: hits
-- args: 3 60
local limit = tonumber(ARGV[1])
local function hit()
  local n = redis.call('INCR', KEYS[1])
  if n == 1 then
    redis.call('EXPIRE', KEYS[1], ARGV[2])
  end
  return n <= limit and 1
    or 0
end
local out = {}
for i = 1, 5 do
  out[i] = hit()
end
return out
