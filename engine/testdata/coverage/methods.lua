-- call
local Stack = {}                           --> 1
Stack.__index = Stack                      --> 1
function Stack.new()                       --> 1 | calls Stack.new 1
  return setmetatable({n = 0}, Stack)      --> 1
end
function Stack:push(v)                     --> 1 | calls Stack:push 2
  self.n = self.n + 1                      --> 2
  self[self.n] = v                         --> 2
  return self                              --> 2
end
function Stack:pop()                       --> 1 | calls Stack:pop 1
  local v = self[self.n]                   --> 1
  if v == nil then                         --> 1 | true 0 false 1
    return nil                             --> 0
  end
  self[self.n] = nil                       --> 1
  self.n = self.n - 1                      --> 1
  return v                                 --> 1
end
function Stack:clear()                     --> 1 | calls Stack:clear 0
  self.n = 0                               --> 0
end
local s = Stack.new()                      --> 1
s:push('a'):push('b')                      --> 1
return s:pop()                             --> 1
