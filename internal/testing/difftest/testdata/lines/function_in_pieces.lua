local f =
  function(a,
           b)
    return a
      + b
  end
return f(
  1,
  2)
