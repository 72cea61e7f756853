local function f(...)
  local n = arg.n
  return n + #arg
end
local function g(...)
  local a, b = ...
  return a,
    b
end
return {f(1, 2, 3), g(4, 5)}
