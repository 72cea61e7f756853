local out = {}
for word, n in string.gmatch('a=1, b=2', '(%a)=(%d)') do
  out[#out + 1] = word .. n
end
for w in ('x y'):gmatch('%a') do out[#out + 1] = w end
return out
