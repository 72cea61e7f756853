-- Something to step through: functions, a table, a loop.
local function square(n)
  return n * n
end

local function sum(list)
  local total = 0
  for _, n in ipairs(list) do
    total = total + square(n)
  end
  return total
end

local numbers = {}
for i = 1, 4 do
  numbers[i] = i + tonumber(ARGV[1] or 0)
end
local total = sum(numbers)
redis.call('SET', KEYS[1], total)
return {total, redis.call('INCR', KEYS[1])}
