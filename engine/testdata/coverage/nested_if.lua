-- call , 1 1
-- call , 1 2
-- call , 2 1
local a, b = ARGV[1], ARGV[2]              --> 3
if a == '1' then                           --> 3 | true 2 false 1
  if b == '1' then                         --> 2 | true 1 false 1
    return 'both'                          --> 1
  else
    if b == '3' then                       --> 1 | true 0 false 1
      return 'never'                       --> 0
    end
  end
end
return 'no'                                --> 2
