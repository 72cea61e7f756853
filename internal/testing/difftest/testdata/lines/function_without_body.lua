local function nothing() end
local function also_nothing()
end
nothing()
also_nothing()
return nothing() == also_nothing()
