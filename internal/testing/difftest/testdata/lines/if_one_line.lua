local a = 5
if a > 3 then a = a - 1 end if a > 3 then a = a - 1 else a = 0 end
return a
