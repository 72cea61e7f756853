local function outer(n)
  local function middle(m)
    local function inner(k)
      return n + m + k
    end
    return inner(1) + inner(2)
  end
  return middle(10) + middle(20)
end
return outer(100)
