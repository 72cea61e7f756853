-- Puts dead letters back into their queue, as messages that were never tried.
--   KEYS    1 ready (stream)  2 dead (stream); all in one slot
--   ARGV    1... entries of the dead stream
--   result  {'ok', number of messages put back}; entries that do not exist any more are ignored, and
--           entries that had no fields
local n = 0
for _, entry in ipairs(ARGV) do
  local e = redis.call('XRANGE', KEYS[2], entry, entry)[1]
  if e then
    local fields = {}
    for i = 5, #e[2], 2 do -- behind reason and attempts
      if e[2][i] ~= 'attempt' then
        fields[#fields + 1] = e[2][i]
        fields[#fields + 1] = e[2][i + 1]
      end
    end
    if #fields > 0 then
      redis.call('XADD', KEYS[1], '*', unpack(fields))
      n = n + redis.call('XDEL', KEYS[2], entry)
    end
  end
end
return {'ok', n}
