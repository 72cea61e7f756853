--- concatenation a..b..c
local n = 0
for i = 1, 20000 do
  local s = 'user' .. ':' .. 'name' .. ':' .. 'x'
  n = n + #s
end
return n

--- concatenation of variables
local a, b, n = 'grab', 'packet', 0
for i = 1, 20000 do
  local s = a .. ':' .. b .. ':' .. a
  n = n + #s
end
return n

--- concatenation with numbers
local n = 0
for i = 1, 20000 do n = n + #('user:' .. i) end
return n

--- concatenation onto a growing string
local s = ''
for i = 1, 2000 do s = s .. 'x,' end
return #s

--- string.format
local n = 0
for i = 1, 10000 do n = n + #string.format('%s:%d:%05.2f', 'user', i, i / 4) end
return n

--- string.find, plain
local s, n = ('abcdefgh'):rep(20) .. 'needle', 0
for i = 1, 10000 do n = n + string.find(s, 'needle', 1, true) end
return n

--- string.find, pattern
local s, n = 'id=12345;name=alice;amount=99', 0
for i = 1, 10000 do n = n + string.find(s, 'amount=%d+') end
return n

--- string.match with captures
local n = 0
for i = 1, 10000 do
  local k, v = string.match('amount=1250', '^(%w+)=(%d+)$')
  n = n + #k + #v
end
return n

--- string.gsub
local n = 0
for i = 1, 5000 do
  local s = string.gsub('one two three four', '%w+', 'x')
  n = n + #s
end
return n

--- string.gsub with a function
local n = 0
local function up(w) return w .. '!' end
for i = 1, 5000 do
  local s = string.gsub('one two three four', '%w+', up)
  n = n + #s
end
return n

--- string.gmatch
local n = 0
for i = 1, 4000 do
  for w in string.gmatch('one,two,three,four', '[^,]+') do n = n + #w end
end
return n

--- string.sub
local s, n = 'the quick brown fox', 0
for i = 1, 20000 do
  local at = i % 10 + 1
  n = n + #s:sub(at, at + 4)
end
return n

--- string.byte and char
local s, n = 'the quick brown fox', 0
for i = 1, 20000 do n = n + s:byte(i % 19 + 1) + #string.char(65 + i % 26) end
return n

--- string.lower, upper, rep, reverse, len
local n = 0
for i = 1, 5000 do
  local s = string.upper('redmoon')
  n = n + #string.lower(s) + string.len(string.rep(s, 3)) + #string.reverse(s)
end
return n

--- tostring
local n = 0
for i = 1, 20000 do n = n + #tostring(i) + #tostring(true) end
return n

--- tostring of fractions
local n = 0
for i = 1, 10000 do n = n + #tostring(i + 0.25) end
return n

--- tonumber
local n = 0
for i = 1, 20000 do n = n + tonumber('125') + tonumber('2.5') end
return n

--- arithmetic on strings
local n = 0
for i = 1, 20000 do n = n + '12' end
return n

--- split and join
local n = 0
for i = 1, 1000 do
  local parts = {}
  for w in string.gmatch('a:bb:ccc:dddd:eeeee', '[^:]+') do parts[#parts + 1] = w end
  n = n + #table.concat(parts, '-')
end
return n
