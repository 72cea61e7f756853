-- Gaps of all kinds: <b> & "quotes" are shown as they are.
local n = tonumber(ARGV[1])
local out = {}
if n > 0 then
  out[1] = n == 1 and 'one' or 'more'
elseif n < -5 then
  return 'never'
end
for i = 1, n do
  out[#out + 1] = i
end
local text = [[
  if x then ]] .. n
local function never(a)
  if a then
    return a
  end
  return nil
end
local last = n == 7
  and 'seven'
  or n == 1 and
    'one'
local function double(x) return 2 * x end
local half = { of = function(x) return x / 2 end, n = double }
return { out[1], text, last or 'none' }
