local function pack(...)
  return {
    n = select('#', ...),
    ...
  }
end
local p = pack(
  1,
  nil,
  3
)
return p.n
