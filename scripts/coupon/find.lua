-- Finds the claim of a token. Changes nothing.
--   KEYS    1... claims (hash), as in claim.lua; all in one slot
--   ARGV    1 token  2 3 microseconds between which (3 is exclusive) the keys are the right ones
--   result  {'wrong time', now} the clock is not between them; now is in microseconds
--           'none' there is no claim
--           {'found', i, claim} the claim is in KEYS[i]
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
if now < tonumber(ARGV[2]) or now >= tonumber(ARGV[3]) then
  return {'wrong time', now}
end
for i = 1, #KEYS do
  local claim = redis.call('HGET', KEYS[i], ARGV[1])
  if claim then
    return {'found', i, claim}
  end
end
return 'none'
