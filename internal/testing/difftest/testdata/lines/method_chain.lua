local Builder = {}
Builder.__index = Builder
function Builder.new()
  return setmetatable({parts = {}}, Builder)
end
function Builder:add(s)
  self.parts[#self.parts + 1] = s
  return self
end
function Builder:build()
  return table.concat(self.parts, ',')
end
return Builder.new()
  :add('a')
  :add('b')
  :add(
    'c'
  )
  :build()
