local function f(t)
  return t.a or
    t[1]
end
local x = f{1}
local y = f{
  a = 2,
}
local z = f {
  f {
    3
  }
}
return {x, y, z}
