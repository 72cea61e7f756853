local function f(x)
  do
    if x then
      do return 1 end
    end
  end
  return 2
end
return {f(true), f(false)}
