-- call , 2
local function outer(n)                    --> 1 | calls outer 2
  local function middle(m)                 --> 2 | calls middle 4
    local function inner()                 --> 4 | calls inner 4
      return n * m                         --> 4
    end
    return inner()                         --> 4
  end
  local sum = 0                            --> 2
  for m = 1, tonumber(ARGV[1]) do          --> 2 | some 2 none 0
    sum = sum + middle(m)                  --> 4
  end
  return sum                               --> 2
end
return outer(1) + outer(2)                 --> 1
