-- Errors that the script catches.
-- call , 1
-- call , 2
local n = tonumber(ARGV[1])                --> 2
local function risky(x)                    --> 2 | calls risky 2
  if x == 1 then                           --> 2 | true 1 false 1
    error('one')                           --> 1
    x = 3                                  --> 0
  end
  return x                                 --> 1
end
local ok, what = pcall(risky, n)           --> 2
if not ok then                             --> 2 | true 1 false 1
  what = 'failed'                          --> 1
end
local good, second = xpcall(function()     --> 2 | calls anonymous 2
  return risky(nil .. n)                   --> 2
end, function(e)                           --> - | calls anonymous 2
  return 'handled'                         --> 2
end)
return {what, second}                      --> 2
