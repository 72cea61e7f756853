local a = 1
if a then
end
if not a then
else
end
if a == 2 then
elseif a == 1 then
else
  a = 3
end
return a
