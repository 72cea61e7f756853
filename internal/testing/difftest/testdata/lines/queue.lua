local Queue = {first = 1, last = 0}
local items = {}
local function push(v)
  Queue.last = Queue.last + 1
  items[Queue.last] = v
end
local function pop()
  if Queue.first > Queue.last then return nil end
  local v = items[Queue.first]
  items[Queue.first] = nil
  Queue.first = Queue.first + 1
  return v
end
push('a') push('b')
push('c')
local out = {}
for v in pop do
  out[#out + 1] = v
end
return out
