-- Adds units to an item that is sold by unit. Units that it has or had are not changed.
--   KEYS    those of common.lua
--   ARGV    1 see common.lua  2 item  3... serials
--   result  {'ok', number of new units}
--           {'unknown item', item}
--           {'strategy', item} not sold by unit
local _, _, _, _, within = tools()
local name = ARGV[2]
local text = call('HGET', KEYS[1], name)
if not text then
  return {'unknown item', name}
end
local item = {cmsgpack.unpack(text)}
if not item[HEAD] then
  return {'strategy', name}
end
call('HLEN', KEYS[5])
local before = item[HEAD] + item[LEFT]
local tail = before
for i = 3, #ARGV do
  if call('HSETNX', KEYS[2], within(name, ARGV[i]), '') == 1 then
    tail = tail + 1
    call('HSET', KEYS[5], tail .. ':' .. name, ARGV[i])
  end
end
local new = tail - before
item[LEFT], item[SUPPLIED] = item[LEFT] + new, item[SUPPLIED] + new
call('HSET', KEYS[1], name, cmsgpack.pack(unpack(item)))
return {'ok', new}
