-- a comment first
local a = 1 -- behind code
--[[ a long
     comment ]] local b = 2
--[==[
local c = 3
]==]
local d = a + --[[ inside ]] b
-- return a
return d -- the end
-- after the end
