--- array fill t[i]=i
local t
for n = 1, 10 do
  t = {}
  for i = 1, 5000 do t[i] = i end
end
return #t

--- array fill t[#t+1]=i
local t
for n = 1, 10 do
  t = {}
  for i = 1, 5000 do t[#t + 1] = i end
end
return #t

--- array fill table.insert
local t
for n = 1, 5 do
  t = {}
  for i = 1, 5000 do table.insert(t, i) end
end
return #t

--- array read
local t, sum = {}, 0
for i = 1, 1000 do t[i] = i end
for n = 1, 50 do
  for i = 1, #t do sum = sum + t[i] end
end
return sum

--- array update
local t = {}
for i = 1, 1000 do t[i] = 0 end
for n = 1, 50 do
  for i = 1, 1000 do t[i] = t[i] + n end
end
return t[1000]

--- array sum with ipairs
local t, sum = {}, 0
for i = 1, 1000 do t[i] = i end
for n = 1, 50 do
  for _, v in ipairs(t) do sum = sum + v end
end
return sum

--- array sum with pairs
local t, sum = {}, 0
for i = 1, 1000 do t[i] = i end
for n = 1, 30 do
  for _, v in pairs(t) do sum = sum + v end
end
return sum

--- pairs over 10 strings
local t, sum = {one = 1, two = 2, three = 3, four = 4, five = 5, six = 6, seven = 7, eight = 8, nine = 9, ten = 10}, 0
for n = 1, 2000 do
  for _, v in pairs(t) do sum = sum + v end
end
return sum

--- pairs over 1000 strings
local t, sum = {}, 0
for i = 1, 1000 do t['key:' .. i] = i end
for n = 1, 20 do
  for _, v in pairs(t) do sum = sum + v end
end
return sum

--- pairs over a mixed table
local t, sum = {}, 0
for i = 1, 100 do
  t[i] = i
  t['key:' .. i] = i
  t[i + 0.5] = i
end
for n = 1, 60 do
  for _, v in pairs(t) do sum = sum + v end
end
return sum

--- next loop
local t, sum = {}, 0
for i = 1, 100 do t['key:' .. i] = i end
for n = 1, 150 do
  local k, v = next(t)
  while k do
    sum = sum + v
    k, v = next(t, k)
  end
end
return sum

--- string-key insert
local keys, t = {}, nil
for i = 1, 500 do keys[i] = 'user:' .. i end
for n = 1, 20 do
  t = {}
  for i = 1, 500 do t[keys[i]] = i end
end
return t['user:500']

--- string-key update
local keys, t = {}, {}
for i = 1, 500 do keys[i] = 'user:' .. i; t[keys[i]] = 0 end
for n = 1, 60 do
  for i = 1, 500 do t[keys[i]] = n end
end
return t['user:500']

--- string-key read
local keys, t, sum = {}, {}, 0
for i = 1, 500 do keys[i] = 'user:' .. i; t[keys[i]] = i end
for n = 1, 60 do
  for i = 1, 500 do sum = sum + t[keys[i]] end
end
return sum

--- fields of a record
local r = {id = 1, amount = 2, total = 0}
for i = 1, 50000 do
  r.total = r.total + r.id + r.amount
end
return r.total

--- record construction {a=,b=,c=}
local r
for i = 1, 10000 do r = {a = i, b = i + 1, c = i + 2} end
return r.a + r.b + r.c

--- record by assignments
local r
for i = 1, 10000 do
  r = {}
  r.id = i
  r.name = 'n'
  r.amount = i
end
return r.id + r.amount

--- small array construction
local a
for i = 1, 20000 do a = {i, i, i, i} end
return a[1] + a[4]

--- nested arrays
local m, sum = {}, 0
for i = 1, 100 do
  local row = {}
  for j = 1, 100 do row[j] = i * j end
  m[i] = row
end
for n = 1, 3 do
  for i = 1, 100 do
    for j = 1, 100 do sum = sum + m[i][j] end
  end
end
return sum

--- stack: table.insert, table.remove
local s, sum = {}, 0
for n = 1, 100 do
  for i = 1, 100 do table.insert(s, i) end
  for i = 1, 100 do sum = sum + table.remove(s) end
end
return sum

--- queue: table.remove(t, 1)
local q, sum = {}, 0
for i = 1, 30 do q[i] = i end
for n = 1, 8000 do
  local v = table.remove(q, 1)
  sum = sum + v
  table.insert(q, v + 1)
end
return sum

--- queue by two indexes
local q, head, tail, sum = {}, 1, 0, 0
for n = 1, 20000 do
  tail = tail + 1
  q[tail] = n
  if n > 50 then
    sum = sum + q[head]
    q[head] = nil
    head = head + 1
  end
end
return sum

--- deletion of string keys
local keys, t, n = {}, {}, 0
for i = 1, 300 do keys[i] = 'user:' .. i end
for round = 1, 20 do
  for i = 1, 300 do t[keys[i]] = i end
  for i = 1, 300 do t[keys[i]] = nil end
end
for _ in pairs(t) do n = n + 1 end
return n

--- sparse integer keys
local t, sum = {}, 0
for i = 1, 2000 do t[i * 1009] = i end
for n = 1, 5 do
  for i = 1, 2000 do sum = sum + t[i * 1009] end
end
return sum

--- table.sort
local t, x = {}, 42
for n = 1, 2 do
  for i = 1, 2000 do
    x = (x * 1103515245 + 12345) % 2147483648
    t[i] = x
  end
  table.sort(t)
end
return t[1]

--- table.sort with a comparator
local t, x = {}, 42
for i = 1, 2000 do
  x = (x * 1103515245 + 12345) % 2147483648
  t[i] = {score = x}
end
table.sort(t, function(a, b) return a.score > b.score end)
return t[1].score

--- table.concat
local t, n = {}, 0
for i = 1, 200 do t[i] = 'item' .. i end
for round = 1, 200 do n = n + #table.concat(t, ',') end
return n

--- unpack
local t, sum = {1, 2, 3, 4, 5}, 0
for i = 1, 20000 do
  local a, b, c, d, e = unpack(t)
  sum = sum + a + e
end
return sum
