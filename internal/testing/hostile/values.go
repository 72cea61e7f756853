package hostile

import "fmt"

// makers write statements that give the variable v a value.
var makers = []func(g *generator) string{
	// Shared tables: small in memory, large when written out.
	func(g *generator) string { return fmt.Sprintf("= {1} for i = 1, %d do v = {v, v} end", g.size(3, 60)) },
	func(g *generator) string {
		return fmt.Sprintf("= {a=1} for i = 1, %d do v = {a=v, b=v} end", g.size(3, 60))
	},
	func(g *generator) string {
		return fmt.Sprintf("= string.rep('s', %d) for i = 1, %d do v = {v, v, v} end", g.size(1, 1e8), g.size(2, 12))
	},
	func(g *generator) string {
		return fmt.Sprintf("= {} local s = string.rep('s', %d) for i = 1, %d do v[i] = s end", g.size(1, 5e7), g.size(2, 1e6))
	},
	// Cycles and depth.
	func(*generator) string { return "= {} v[1] = v" },
	func(*generator) string { return "= {} v.a = v v.b = {v, v}" },
	func(g *generator) string { return fmt.Sprintf("= {} for i = 1, %d do v = {v} end", g.size(10, 3e6)) },
	func(g *generator) string { return fmt.Sprintf("= {} for i = 1, %d do v = {a=v} end", g.size(10, 3e6)) },
	func(g *generator) string {
		return fmt.Sprintf("= {} for i = 1, %d do v = setmetatable({}, {__index = v, __newindex = v}) end", g.size(10, 1e6))
	},
	func(g *generator) string {
		return fmt.Sprintf("= {x=1} for i = 1, %d do v = {map=v} end", g.size(10, 1e5))
	},
	func(g *generator) string {
		return fmt.Sprintf("= function() return 1 end for i = 1, %d do local f = v v = function(...) return f(...) end end", g.size(10, 1e6))
	},
	// Texts.
	func(g *generator) string {
		return fmt.Sprintf("= string.rep(%s, %d)", pick(g, pieces), g.size(10, 2e8))
	},
	func(g *generator) string {
		return fmt.Sprintf("= %s for i = 1, %d do v = v .. v end", pick(g, pieces), g.size(5, 40))
	},
	func(g *generator) string {
		n := g.size(10, 1e7)
		return pick(g, []string{
			fmt.Sprintf("= string.rep('[', %d)", n),
			fmt.Sprintf("= string.rep('[', %d) .. string.rep(']', %d)", n, n),
			fmt.Sprintf(`= string.rep('{"a":', %d)`, n),
			fmt.Sprintf(`= string.rep('[{"a":', %d)`, n),
			fmt.Sprintf("= '[' .. string.rep('1,', %d) .. '1]'", n),
			fmt.Sprintf("= '[' .. string.rep('[],', %d) .. '1]'", n),
			fmt.Sprintf(`= '{' .. string.rep('"a":{},', %d) .. '"b":1}'`, n),
			fmt.Sprintf(`= '"' .. string.rep('\\u0041', %d) .. '"'`, n),
			fmt.Sprintf("= string.rep('9', %d)", n),
		})
	},
	func(g *generator) string {
		n := g.size(10, 1e7)
		return pick(g, []string{
			fmt.Sprintf(`= string.rep('\145', %d)`, n),
			fmt.Sprintf(`= string.rep('\129\161a', %d)`, n),
			fmt.Sprintf(`= string.rep('\192', %d)`, n),
			fmt.Sprintf(`= '\221\255\255\255\255' .. string.rep('\1', %d)`, n),
			fmt.Sprintf(`= '\223\255\255\255\255' .. string.rep('\1\2', %d)`, n),
			`= '\219\255\255\255\255abc'`,
			`= '\198\127\255\255\255abc'`,
		})
	},
	// Source.
	func(g *generator) string { return "= " + pick(g, sources)(g, g.size(10, 2e6)) },
	func(g *generator) string { return "= " + pick(g, sources)(g, g.size(10, 2e4)) },
	// Patterns and formats.
	func(g *generator) string {
		return pick(g, []string{
			fmt.Sprintf("= string.rep('a?', %d) .. string.rep('a', %d)", g.size(2, 1e5), g.size(2, 1e5)),
			fmt.Sprintf("= string.rep('.-', %d) .. 'b'", g.size(2, 1e5)),
			fmt.Sprintf("= string.rep('(', %d)", g.size(2, 1e5)),
			fmt.Sprintf("= '[' .. string.rep('a-z', %d) .. ']*$'", g.size(2, 1e6)),
			fmt.Sprintf("= string.rep('%%b()', %d)", g.size(2, 1e4)),
			fmt.Sprintf("= string.rep('%%s', %d)", g.size(2, 1e6)),
			fmt.Sprintf("= string.rep('%%99.99f', %d)", g.size(2, 1e5)),
			fmt.Sprintf("= string.rep('i8', %d)", g.size(2, 1e6)),
			fmt.Sprintf("= string.rep('s', %d)", g.size(2, 1e6)),
		})
	},
	// Many values.
	func(g *generator) string { return fmt.Sprintf("= {} for i = 1, %d do v[i] = i end", g.size(10, 2e7)) },
	func(g *generator) string {
		return fmt.Sprintf("= {} for i = 1, %d do v[i] = i + 0.5 end", g.size(10, 2e7))
	},
	func(g *generator) string {
		return fmt.Sprintf("= {} for i = 1, %d do v['k' .. i] = i end", g.size(10, 5e6))
	},
	func(g *generator) string {
		return fmt.Sprintf("= {} for i = 1, %d do v[i] = 'k' .. i end", g.size(10, 1e7))
	},
	func(g *generator) string {
		return fmt.Sprintf("= {} for i = 1, %d do v[i * 1000] = i end", g.size(10, 5e6))
	},
	func(g *generator) string {
		return fmt.Sprintf("= {} for i = 1, %d do v[2 ^ i] = i end", g.size(2, 1000))
	},
	func(g *generator) string { return fmt.Sprintf("= {} for i = 1, %d do v[i] = {} end", g.size(10, 5e6)) },
	func(g *generator) string {
		return fmt.Sprintf("= {} for i = %d, 1, -1 do v[i] = {a=i} end", g.size(10, 5e6))
	},
	func(g *generator) string {
		return fmt.Sprintf("= {} for i = 1, %d do v[i] = function() return i end end", g.size(10, 3e6))
	},
	func(g *generator) string {
		return fmt.Sprintf("= {} for i = 1, %d do local c = coroutine.create(function() coroutine.yield(i) end) "+
			"coroutine.resume(c) v[i] = c end", g.size(10, 1e6))
	},
	func(g *generator) string {
		return fmt.Sprintf("= {} for i = 1, %d do local c = coroutine.create(function() "+
			"local function f(n) if n > 0 then return 1 + f(n - 1) end return coroutine.yield(n) end f(%d) end) "+
			"pcall(coroutine.resume, c) v[i] = c end", g.size(10, 1e5), g.size(10, 1e4))
	},
	// Values that keep more than themselves.
	func(g *generator) string {
		return fmt.Sprintf("= {} for i = 1, %d do local s = 'key' .. i if i %% %d == 0 then v[#v + 1] = s end end", g.size(100, 2e7),
			g.size(2, 200))
	},
	func(g *generator) string {
		return fmt.Sprintf("= {} for i = 1, %d do local n = i + 0.5 if i %% %d == 0 then v[#v + 1] = n end end", g.size(100, 2e7), g.size(2, 200))
	},
	func(g *generator) string {
		return fmt.Sprintf("= {} for i = 1, %d do v[i] = string.rep('x', %d):sub(%d, %d) end",
			g.size(10, 1e5), g.size(1e3, 1e7), g.size(1, 100), g.size(100, 1000))
	},
	func(g *generator) string {
		return fmt.Sprintf("= {} for i = 1, %d do v[i] = string.rep('ab ', %d):match('%%a+') end", g.size(10, 1e5), g.size(1e3, 1e6))
	},
	func(g *generator) string {
		return fmt.Sprintf("= {} for i = 1, %d do local t = {} for j = 1, %d do t[j] = j end for j = 2, %d do t[j] = nil end v[i] = t end",
			g.size(10, 1e4), g.size(10, 1e5), g.size(10, 1e5))
	},
	// Data.
	func(g *generator) string {
		return fmt.Sprintf("= redis.pcall('setrange', KEYS[1], %d, 'x') v = redis.pcall('get', KEYS[1])", g.size(10, 2e8))
	},
	func(g *generator) string {
		return fmt.Sprintf("= {} for i = 1, %d do v[i] = 'm' .. i end redis.pcall('rpush', KEYS[2], unpack(v)) "+
			"redis.pcall('sadd', KEYS[3], unpack(v)) v = redis.pcall('lrange', KEYS[2], 0, -1)", g.size(10, 7000))
	},
	func(*generator) string { return "= redis.pcall('command')" },
	func(*generator) string { return "= redis.pcall('command', 'docs')" },
}

// pieces are what long texts are made of.
var pieces = []string{"'x'", "'ab'", `'\0'`, `'\255'`, "'('", "'a b,'", `'"'`, `'\\\\'`, "'%'", "'9'", "'\\n'", "'-'", "'a=a+1 '"}

// sources are Lua texts that are long or deep, as expressions.
var sources = []func(g *generator, n int) string{
	repeated("'a=a+1 '"),
	repeated("'local a=1 do local b=a end '"),
	repeated("'do end '"),
	repeated("'f{} '"),
	repeated("'--x\\n'"),
	repeated("'function f() return function() end end '"),
	nested("'return '", "'('", "'1'", "')'"),
	nested("'return '", "'{'", "''", "'}'"),
	nested("'return '", "'-'", "'1'", "''"),
	nested("'return '", "'not '", "'1'", "''"),
	nested("'return '", "'a..'", "'1'", "''"),
	nested("'return '", "'2^'", "'1'", "''"),
	nested("'return '", "'1+'", "'1'", "''"),
	nested("'return '", "'a and '", "'1'", "''"),
	nested("'return a'", "'.a'", "''", "''"),
	nested("'return a'", "'()'", "''", "''"),
	nested("'return a'", "'[a'", "''", "']'"),
	nested("'return a'", "':b()'", "''", "''"),
	nested("''", "'do '", "''", "'end '"),
	nested("''", "'if a then '", "''", "' end'"),
	nested("'if a then '", "' elseif b then '", "''", "' end'"),
	nested("''", "'while a do '", "''", "' end'"),
	nested("''", "'function f() '", "''", "' end'"),
	nested("'return '", "'function() return '", "'1'", "' end'"),
	nested("'return '", "'\"x\"..'", "'1'", "''"),
	nested("'return {'", "'1,'", "'1'", "'}'"),
	nested("'return {'", "'a=1,'", "'1'", "'}'"),
	nested("'return f('", "'1,'", "'1'", "')'"),
	nested("'local a'", "',a'", "''", "'=1'"),
	nested("'a'", "',a'", "'=1'", "',1'"),
	nested("'return \"'", "'x'", "''", "'\"'"),
	nested("'return [['", "'x'", "''", "']]'"),
	func(g *generator, n int) string {
		return fmt.Sprintf("(function() local t = {} for i = 1, %d do t[i] = 'x' .. i .. '=' .. i .. '.5 ' end return table.concat(t) end)()",
			min(n, 300000))
	},
	func(g *generator, n int) string {
		return fmt.Sprintf("'return ' .. string.rep('(' .. string.rep('a+', %d), %d) .. '1' .. string.rep(')', %d)",
			g.size(10, 9990), min(n, 190), min(n, 190))
	},
}

func repeated(piece string) func(*generator, int) string {
	return func(_ *generator, n int) string { return fmt.Sprintf("string.rep(%s, %d)", piece, n) }
}

// nested is a text with n openings, a middle, and sometimes as many closings.
func nested(head, open, middle, closing string) func(*generator, int) string {
	return func(g *generator, n int) string {
		closings := n
		if g.r.IntN(4) == 0 {
			closings = 0
		}
		return fmt.Sprintf("%s .. string.rep(%s, %d) .. %s .. string.rep(%s, %d)", head, open, n, middle, closing, closings)
	}
}
