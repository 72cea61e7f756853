local s = [[
first line
second line]]
local t = [==[
]] not the end
]==]
local u = 'a\
b' .. "c\
d"
return #s + #t + #u
