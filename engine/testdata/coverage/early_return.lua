-- call
-- call k
-- call k , 5
if #KEYS == 0 then                         --> 3 | true 1 false 2
  return redis.error_reply('no key')       --> 1
end
if not ARGV[1] then return 'no value' end  --> 2 | true 1 false 1
local function sign(x)                     --> 1 | calls sign 1
  if x > 0 then return 1 end               --> 1 | true 1 false 0
  if x < 0 then return -1 end              --> 0 | true 0 false 0
  return 0                                 --> 0
end
do return sign(tonumber(ARGV[1])) end      --> 1
