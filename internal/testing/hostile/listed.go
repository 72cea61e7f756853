package hostile

import (
	"fmt"
	"slices"
	"strings"
)

// Listed returns the programs that were written by hand. In an interpreter without budgets, each
// would run without end or use up the memory or the stack.
func Listed() []Program {
	var list []Program
	for _, group := range []struct {
		name   string
		door   Door
		bodies []string
	}{
		{"runaway", Eval, runaways},
		{"depth", Eval, depths},
		{"shared", Eval, shared},
		{"source", Eval, longSources()},
		{"kept", Eval, kept},
		{"loading", Load, runaways},
		{"function", Function, slices.Concat(depths, shared, kept)},
		{"growing", Eval, growing},
		{"growing-function", Function, growing},
	} {
		for i, body := range group.bodies {
			list = append(list, Program{Name: fmt.Sprintf("%s-%d", group.name, i+1), Door: group.door, Body: body})
		}
	}
	return list
}

// runaways do not end, or grow without limit.
var runaways = []string{
	"while true do end",
	"repeat until false",
	"for i = 1, 1e18 do end",
	"local function f() return 1 + f() end return f()",
	"local t t = setmetatable({}, {__index = function(_, k) return t[k + 1] end}) return t[1]",
	"local function f() return pcall(f) end return f()",
	"local function f() return coroutine.wrap(f)() end return f()",
	"local t = setmetatable({}, {__concat = function(a, b) return a .. b end}) return t .. t",
	"while true do pcall(function() while true do end end) end",
	"xpcall(function() while true do end end, function() while true do end end)",
	"local e = setmetatable({}, {__tostring = function() while true do end end}) while true do pcall(error, e) tostring(e) end",
	"error(setmetatable({}, {__index = function() while true do end end}))",
	"local s = 'x' while true do s = s .. s end",
	"local t = {} while true do t[#t + 1] = string.rep('x', 5e8) end",
	"return string.rep('x', 1e9)",
	"local t, s = {}, string.rep('x', 1e6) for i = 1, 2000 do t[i] = s end return #table.concat(t)",
	"local s = string.rep('x', 1e8) while true do s = string.format('%s%s', s, s) end",
	"return #string.gsub(string.rep('x', 1e7), 'x', string.rep('y', 1e6))",
	"string.gsub(string.rep('x', 1e7), 'x', function() while true do end end)",
	"local t = {} while true do t[#t + 1] = {} end",
	"local t, i = {}, 0 while true do i = i + 1 t['k' .. i] = i end",
	"local t = {} while true do local c = coroutine.create(function() coroutine.yield() end) coroutine.resume(c) t[#t + 1] = c end",
	"while true do coroutine.resume(coroutine.create(function() while true do end end)) end",
	"return string.find(string.rep('a', 30), string.rep('a?', 30) .. string.rep('a', 30))",
	"return string.find(string.rep('a', 2e5), string.rep('.-', 200) .. 'b')",
	"return string.match(string.rep('(', 2e5), '%b()')",
	"local t = {} for i = 1, 1e5 do t[i] = i % 7 end while true do pcall(table.sort, t, function() return true end) end",
	"return cmsgpack.unpack(string.rep('\\145', 1e7))",
	"return cjson.decode(string.rep('[', 1e7))",
	"local t = {} t[1] = t return cjson.encode(t)",
	"local t = {} t[1] = t return cmsgpack.pack(t)",
	"local t = {} t[1] = t return t",
	"local t = {} for i = 1, 1e5 do t = {t} end return t",
	"local t = {} for i = 1, 1e5 do t[i] = i end while true do cjson.encode(t) cmsgpack.pack(t) end",
	"return loadstring('return ' .. string.rep('1+', 1e6) .. '1')",
	"return loadstring('return ' .. string.rep('-', 1e6) .. '1')",
	"return loadstring('return a' .. string.rep('()', 1e6))",
	"return loadstring('return a' .. string.rep('.a', 1e6))",
	"return loadstring('if a then ' .. string.rep(' elseif b then ', 1e5) .. ' end')",
	"return loadstring('return ' .. string.rep('a and ', 1e5) .. '1')",
	"while true do loadstring(string.rep('x = 1 ', 3e4)) end",
	"load(function() return ' ' end)",
	"while true do redis.call('get', KEYS[1]) end",
	"while true do redis.pcall('nosuch') end",
	"local s = string.rep('x', 1e8) while true do redis.sha1hex(s) s:upper() s:reverse() end",
	"cjson.encode_max_depth(2147483647) local t = {} t[1] = t return #cjson.encode(t)",
	"cjson.decode_max_depth(2147483647) return cjson.decode(string.rep('[', 2e7))",
	"local t = {} for i = 1, 40 do t = {t, t} end return cjson.encode(t)",
	"local t = {} for i = 1, 16 do t = {t, t, t, t, t, t, t, t} end return cmsgpack.pack(t)",
	"local t = {} for i = 1, 40 do t = {t, t} end return t",
	"redis.setresp(3) local t = {} for i = 1, 40 do t = {map = {a = t, b = t}} end return t",
	"local t, s = {}, string.rep('x', 8e6) for i = 1, 100 do t[i] = s end return cjson.encode(t)",
	"local t, s = {}, string.rep('x', 8e6) for i = 1, 100 do t[i] = s end return cmsgpack.pack(t)",
	"local t, s = {}, string.rep('x', 8e6) for i = 1, 100 do t[i] = s end return struct.pack(string.rep('s', 100), unpack(t))",
	"local t, s = {}, string.rep('x', 8e6) for i = 1, 1e6 do t[i] = s end return t",
	"local t, s = {}, string.rep('x', 8e6) for i = 1, 100 do t[i] = s end while true do redis.log(redis.LOG_WARNING, unpack(t)) end",
	"cjson.encode_sparse_array(false, 0) return cjson.encode({[2147483647] = 1})",
	"return cjson.decode('[' .. string.rep('[],', 5e7) .. '1]')",
	"return cmsgpack.unpack('\\221\\255\\255\\255\\255' .. string.rep('\\144', 1e8))",
	"return string.format(string.rep('x', 4e8))",
	"return string.format('%q', string.rep('\\0', 4e8))",
	"for i = 1, 1e9 do local t = {} for j = 1, 1e5 do t = {t} end collectgarbage() end",
	"local s = string.rep('a', 1e8) while true do s:find(string.rep('a', 1e6) .. 'b', 1, true) end",
}

// depths nest a value as deep as the libraries let a script choose.
var depths = []string{
	"cjson.encode_max_depth(2147483647) local t = {} t.a = t return #cjson.encode(t)",
	"cjson.decode_max_depth(2147483647) return cjson.decode(string.rep('{\"a\":', 5e6))",
	"local t = {} for i = 1, 1e6 do t = {map = {t}} end return t",
	"local t = {} t[1] = t redis.setresp(3) return {map = t}",
	"local t = {} for i = 1, 1e6 do t = setmetatable({}, {__index = t}) end return t.x",
	"local f = function() end for i = 1, 1e6 do local g = f f = function() return 1, g() end end return f()",
}

// shared holds few values that become many when they are written out.
var shared = []string{
	"local t = {1} for i = 1, 24 do t = {t, t} end return cjson.encode(t)",
	"local t = {1} for i = 1, 24 do t = {t, t} end return cmsgpack.pack(t)",
	"local t = {1} for i = 1, 24 do t = {t, t} end return t",
	"local t = {1} for i = 1, 24 do t = {t, t} end return {map = t}",
	"local t = {1} for i = 1, 24 do t = {t, t} end return {set = {t, t}}",
	"local t = {1} for i = 1, 40 do t = {t, t} end return cjson.encode(t)",
	"local t = {1} for i = 1, 40 do t = {t, t} end return cmsgpack.pack(t)",
	"local t = {1} for i = 1, 40 do t = {t, t} end return t",
	"local t = {1} for i = 1, 40 do t = {t, t} end return {map = t}",
	"local t = {1} for i = 1, 40 do t = {t, t} end return {set = {t, t}}",
	"local t = {} for i = 1, 100 do t[i] = string.rep('x', 8e6) end return struct.pack(string.rep('s', 100), unpack(t))",
	"local t = {} for i = 1, 100 do t[i] = string.rep('x', 8e6) end return cjson.encode(t)",
	"local t = {} for i = 1, 100 do t[i] = string.rep('x', 8e6) end return cmsgpack.pack(t)",
	"local t = {} for i = 1, 100 do t[i] = string.rep('x', 8e6) end return table.concat(t)",
	"local t, s = {}, string.rep('x', 8e6) for i = 1, 100 do t[i] = s end return table.concat(t)",
	"local t = {} for i = 1, 100 do t[i] = string.rep('x', 8e6) end return #string.format(string.rep('%s', 100), unpack(t))",
	"local t, s = {}, string.rep('x', 8e6) for i = 1, 100 do t[i] = s end return #string.format(string.rep('%s', 100), unpack(t))",
	"local t = {} for i = 1, 100 do t[i] = string.rep('x', 8e6) end return redis.call('echo', table.concat(t))",
	"local t, s = {}, string.rep('x', 8e6) for i = 1, 100 do t[i] = s end return redis.call('echo', table.concat(t))",
	"local t = {} for i = 1, 100 do t[i] = string.rep('x', 8e6) end return t",
	"local t, s = {}, string.rep('x', 8e6) for i = 1, 100 do t[i] = s end return t",
	"local t = {} for i = 1, 100 do t[i] = string.rep('x', 8e6) end return cmsgpack.pack(unpack(t))",
	"local t, s = {}, string.rep('x', 8e6) for i = 1, 100 do t[i] = s end return cmsgpack.pack(unpack(t))",
	"local t = {} for i = 1, 100 do t[i] = string.rep('x', 8e6) end return redis.sha1hex(table.concat(t))",
	"local t, s = {}, string.rep('x', 8e6) for i = 1, 100 do t[i] = s end return redis.sha1hex(table.concat(t))",
	"local t = {} for i = 1, 100 do t[i] = string.rep('x', 8e6) end return cjson.encode({t, t, t, t, t, t, t, t})",
	"local t, s = {}, string.rep('x', 8e6) for i = 1, 100 do t[i] = s end return cjson.encode({t, t, t, t, t, t, t, t})",
}

// kept keeps small values that keep large pieces of memory alive.
var kept = []string{
	"local t = {} for i = 1, 8e6 do local s = 'key' .. i if i % 32 == 0 then t[#t + 1] = s end end return #t",
	"local t = {} for i = 1, 8e6 do local n = i + 0.5 if i % 64 == 0 then t[#t + 1] = n end end return #t",
	"local t = {} for i = 1, 1e6 do t[i] = string.rep('x', 1e6):sub(1, 200) end return #t",
	"local t = {} for i = 1, 1e6 do t[i] = string.rep('x ', 1e5):match('%a+') end return #t",
	"local t = {} for i = 1, 1e6 do t[i] = cjson.decode('[\"' .. string.rep('y', 200) .. '\",\"' .. string.rep('z', 1e5) .. '\"]')[1] end " +
		"return #t",
	"local t = {} for i = 1, 1e6 do t[i] = coroutine.wrap(function() local s = string.rep('x', i) coroutine.yield() end) t[i]() end return #t",
	"redis.call('setrange', KEYS[1], 5e6, 'x') local t = {} for i = 1, 1e5 do t[i] = redis.call('get', KEYS[1]) .. i end return #t",
}

// longSources are texts that are long or deep themselves.
func longSources() []string {
	deep := func(open, middle, closing string, n int) string {
		return "return " + strings.Repeat(open, n) + middle + strings.Repeat(closing, n)
	}
	return []string{
		deep("("+strings.Repeat("a+", 9990), "1", ")", 190),
		deep("("+strings.Repeat("-", 150), "1", ")", 30000),
		deep("a"+strings.Repeat(".a", 9990)+"[", "1", "]", 190),
		deep("{", "", "}", 1<<20),
		deep("f(", "", ")", 1<<20),
		deep("function() return ", "1", " end", 1<<18),
		deep("1 ..", "1", "", 1<<20),
		deep("a and ", "1", "", 1<<20),
		"a" + strings.Repeat("()", 1<<20),
		"a" + strings.Repeat(":b()", 1<<19),
		strings.Repeat("a=a+1 ", 2e6),
		strings.Repeat("do local a=b ", 1<<18) + strings.Repeat("end ", 1<<18),
		strings.Repeat("do local a=b end ", 1<<19),
		"return {" + strings.Repeat("1,", 3e6) + "}",
		"return {" + strings.Repeat("{},", 2e6) + "}",
		"return '" + strings.Repeat("x", 12e6) + "'",
		"if a then " + strings.Repeat("elseif b then ", 1<<18) + "end",
		strings.Repeat("--\n", 3e6),
		"local s, t = string.rep('x', 60000), {} " + strings.Repeat("t[#t+1]=s..#t ", 2e5),
		"local t = {} " + strings.Repeat("t[#t+1]={} ", 1e6),
		"local t = {} " + strings.Repeat("t[#t+1]=function() return t end ", 2e5),
	}
}
