-- Adds up a cart. The price of one article is missing, so the script fails in the loop: run it, then
-- debug it and step back from the error.
--   KEYS    1 cart (hash: article to count)  2 prices (hash: article to cents)  3 orders (list)
local cart = redis.call('HGETALL', KEYS[1])

local function price(article)
  return tonumber(redis.call('HGET', KEYS[2], article))
end

local total = 0
redis.call('RPUSH', KEYS[3], 'begun')
for i = 1, #cart, 2 do
  local article, count = cart[i], tonumber(cart[i + 1])
  total = total + count * price(article)
end
return total
