-- A statement counts on the line on which it begins, not on those on which it goes on.
-- call
local t = {                                --> 1
  a = 1,
  b = tonumber('2'),
  3,
}
local s = string.format(                   --> 1
  '%d %d',
  t.a,
  t.b
)
redis.call('set', 'k',                     --> 1
  s)
local sum =                                --> 1
  t.a +
  t.b
if                                         --> 1
  sum == 3                                 --> - | true 1 false 0
then
  sum = sum + 1                            --> 1
end
for _, v in                                --> 1 | some 1 none 0
  ipairs(t)
do
  sum = sum + v                            --> 1
end
return                                     --> 1
  sum
