-- call , 4
local function fib(n)                      --> 1 | calls fib 9
  if n < 2 then return n end               --> 9 | true 5 false 4
  return fib(n - 1) +                      --> 4
    fib(n - 2)
end
return fib(tonumber(ARGV[1]))              --> 1
