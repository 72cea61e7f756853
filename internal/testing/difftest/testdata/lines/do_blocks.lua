local a = 1
do
  local a = 2
  do
    local a = 3
  end
end
do end
do
  local b = a
  local f = function() return b end
  a = f()
end
return a
