local a, b, c = 1, nil, 3
if a
  and not b
  and (c > 2
    or c < 0)
then
  a = 2
end
if b or
   a == 3
   or c ==
   3 then
  c = 4
end
return {a, c}
