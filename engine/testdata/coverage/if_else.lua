-- call , yes
-- call , no
-- call , no
local out                                  --> 3
if ARGV[1] == 'yes' then                   --> 3 | true 1 false 2
  out = 1                                  --> 1
else
  out = 2                                  --> 2
end
if out then                                --> 3 | true 3 false 0
  out = out + 1                            --> 3
else
  out = 0                                  --> 0
end
return out                                 --> 3
