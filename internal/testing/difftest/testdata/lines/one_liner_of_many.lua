local a = 1 local b = 2 if a < b then a = b else b = a end for i = 1, 3 do a = a + i end return {a, b}
