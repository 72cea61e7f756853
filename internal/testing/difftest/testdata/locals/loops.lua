local function one() return 1 end
for t in pairs
  ,{}
  do one() end
for k, v in next, {5} do
  one()
end
for a in
  one
do
  if a then break end
end
