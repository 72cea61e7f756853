local function step(state,
                    i)
  if i < state then
    return i + 1
  end
end
local n = 0
for i
in step,
   3,
   0
do
  n = n + i
end
return n
