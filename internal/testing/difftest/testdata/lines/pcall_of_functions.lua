local function fine(x)
  return x * 2
end
local function fails()
  local t = nil
  return t.x
end
local ok, v = pcall(fine, 4)
local bad, why = pcall(fails)
local also, what = pcall(error, 'text')
return {ok and 1 or 0, v, why, what}
