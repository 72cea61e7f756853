local list = {next = {next = {value = 3}, value = 2}, value = 1}
local function nextnode(head, node)
  if node == nil then return head end
  return node.next
end
local sum = 0
for node in nextnode, list do
  sum = sum + node.value
end
return sum
