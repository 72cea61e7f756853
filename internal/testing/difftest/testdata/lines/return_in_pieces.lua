local function f(a,
  b)
  return
    a,
    b
end
local function g()
  return f(
    1,
    2
  )
end
return {
  g()
}
