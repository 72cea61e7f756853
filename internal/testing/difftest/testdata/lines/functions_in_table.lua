local lib = {
  double = function(x)
    return 2 * x
  end,
  name = 'lib',
}
function lib.triple(x)
  return 3 * x
end
function lib:describe(x)
  return self.name .. self.double(x)
end
return lib:describe(lib.triple(2))
