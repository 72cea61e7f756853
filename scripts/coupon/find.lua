-- Finds the claim of a token.
--   KEYS  1... claims, as of claim.lua; one slot
--   ARGV  1 token  2 3 the microseconds between which (the second excluded) the server's clock must stand for these keys to be the right ones
--   result  {0, now} the time is another, now in microseconds; {1} there is none; {2, i, claim} it is in KEYS[i]
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
if now < tonumber(ARGV[2]) or now >= tonumber(ARGV[3]) then
  return {0, now}
end
for i = 1, #KEYS do
  local claim = redis.call('HGET', KEYS[i], ARGV[1])
  if claim then
    return {2, i, claim}
  end
end
return {1}
