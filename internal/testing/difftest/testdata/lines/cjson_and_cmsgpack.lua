local text = cjson.encode({
  a = 1,
})
local back = cjson.decode(text)
local packed = cmsgpack.pack(back.a,
  'x')
local n, s = cmsgpack.unpack(packed)
local ok, e = pcall(cjson.decode, '{')
return {text, n or 0, s or '', ok and 1 or 0}
