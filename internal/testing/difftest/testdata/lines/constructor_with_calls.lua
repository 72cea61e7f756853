local n = 0
local function f()
  n = n + 1
  return n
end
local t = {
  f(),
  f(), f(),
  a = f(),
  [f()] = f(),
  f()
}
return n
