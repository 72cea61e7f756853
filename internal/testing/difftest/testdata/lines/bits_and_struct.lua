local x = bit.band(255,
  bit.lshift(1, 4))
local s = struct.pack('>I2', x)
local n = struct.unpack('>I2',
  s)
return {x, n}
