local Animal = {}
Animal.__index = Animal
function Animal.new(name)
  local self = setmetatable({}, Animal)
  self.name = name
  return self
end
function Animal:speak()
  return self.name .. ' ' .. self:sound()
end
local Dog = setmetatable({}, {__index = Animal})
Dog.__index = Dog
function Dog.new(name)
  return setmetatable(Animal.new(name), Dog)
end
function Dog:sound() return 'woof' end
return Dog.new('rex'):speak()
