local t = {
  1,
  2,
  x = 3,
  ['y'] = 4,
  [5] = 5;
  'six',
  {
    7,
    {8},
  },
}
local e = {}
local f = {
}
return #t + t.x + t.y
