it('x', function() end)
local function f() error('at the top') end
f()
