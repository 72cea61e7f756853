local a = 1
if a > 1 then
  a = 2
end
if a == 1 then
  a = 3
end
return a
