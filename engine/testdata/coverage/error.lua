-- The script ends in an error. The statement that fails counts, those behind it do not.
-- call , 1
-- call , 2
local n = tonumber(ARGV[1])                --> 2
local function check(x)                    --> 2 | calls check 2
  if x == 2 then                           --> 2 | true 1 false 1
    redis.call('lpush', 'k')               --> 1
    n = 5                                  --> 0
  end
  return x                                 --> 1
end
n = check(n)                               --> 2
return n                                   --> 1
