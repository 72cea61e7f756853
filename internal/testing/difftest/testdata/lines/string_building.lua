local parts = {}
for i = 1, 3 do
  parts[#parts + 1] = string.format('%d:%s',
    i, ('x'):rep(i))
end
local s = table.concat(parts,
  ';')
return s:len() > 3
  and s:sub(1, 3)
  or s
