package hostile

import (
	"fmt"
	"strings"
)

// calls are expressions in which each $ becomes a value, each # a size and each @ another call.
var calls = []string{
	"cjson.encode($)", "cjson.encode({$, $, $})", "cjson.encode({a=$, b=$})", "cjson.decode($)", "cjson.decode(cjson.encode($))",
	"cmsgpack.pack($)", "cmsgpack.pack($, $, $)", "cmsgpack.unpack($)", "cmsgpack.unpack_one($, #)", "cmsgpack.unpack_limit($, #, #)",
	"cmsgpack.unpack(cmsgpack.pack($))", "cmsgpack.pack(unpack($))",
	"struct.pack('s', $)", "struct.pack('ssss', $, $, $, $)", "struct.pack($, unpack($))", "struct.pack('c0', $)",
	"struct.pack('>I4c#', 1, $)",
	"struct.unpack($, $)", "struct.unpack(string.rep('b', #), $)", "struct.unpack('c#', $)", "struct.size($)", "struct.size('i8!16c#')",
	"bit.tohex(#, #)", "bit.band(unpack($))",
	"tostring($)", "tonumber($)", "tonumber($, 36)", "$ .. $", "$ .. $ .. $ .. $", "#$", "$ == $", "$ < $", "-$", "$[#]", "$.a.a.a", "$()",
	"type($)",
	"table.concat($)", "table.concat($, $)", "table.concat({$, $, $, $}, $)", "table.concat($, 'x', 1, #)",
	"table.sort($)", "table.sort($, function() return true end)", "table.sort($, function(a, b) return tostring(a) < tostring(b) end)",
	"table.insert($, 1, $)", "table.insert($, #, $)", "table.remove($, 1)", "table.maxn($)", "table.getn($)",
	"table.foreach($, function(k, x) keep[#keep + 1] = {k, x} end)",
	"unpack($)", "{unpack($)}", "unpack($, 1, #)", "select('#', unpack($))", "select(-1, unpack($))", "next($)", "rawequal($, $)",
	"string.format('%s%s', $, $)", "string.format('%q', $)", "string.format($, unpack($))", "string.format('%99.99f', #)",
	"string.format('%s', $)",
	"string.rep($, #)", "string.rep($, 1e15)", "string.upper($)", "string.lower($)", "string.reverse($)", "string.sub($, 2, -2)",
	"string.len($)",
	"{string.byte($, 1, -1)}", "string.char(unpack($))", "{string.byte($, 1, #)}",
	"string.gsub($, '.', '%0%0')", "string.gsub($, '', $)", "string.gsub($, $, $)", "string.gsub($, '.', {a=$, x=$})",
	"string.gsub($, '.', function(c) keep[#keep + 1] = c return $ end)", "string.gsub($, '(.)(.-)', '%2%1%0')", "string.gsub($, '.', '%', #)",
	"string.find($, $)", "string.find($, $, 1, true)", "string.match($, $)", "string.match($, '.-.-.-.-b')",
	"string.match($, '^(.*)(.*)(.*)$')",
	"(function() for w in string.gmatch($, '.') do keep[#keep + 1] = w end end)()", "string.gmatch($, $)()",
	"string.dump(function() return $ end)",
	"loadstring($)", "loadstring('return ' .. tostring($))", "loadstring($)()", "load(function() return $ end)",
	"load(function() return ' ' end)", "load(coroutine.wrap(function() while true do coroutine.yield($) end end))",
	"redis.sha1hex($)", "redis.error_reply($)", "redis.status_reply($)", "redis.debug($)", "redis.breakpoint()",
	"redis.pcall('set', KEYS[1], $)", "redis.pcall('append', KEYS[1], $)", "redis.pcall('get', KEYS[1])",
	"redis.pcall('setrange', KEYS[1], #, $)",
	"redis.pcall('echo', $)", "redis.pcall($)", "redis.pcall(unpack($))", "redis.pcall('rpush', KEYS[2], unpack($))",
	"redis.pcall('lrange', KEYS[2], 0, -1)",
	"redis.pcall('sadd', KEYS[3], unpack($))", "redis.pcall('srandmember', KEYS[3], -#)", "redis.pcall('hset', KEYS[4], $, $)",
	"redis.pcall('hrandfield', KEYS[4], -#)",
	"redis.pcall('zadd', KEYS[5], #, $)", "redis.pcall('zrandmember', KEYS[5], -#, 'withscores')", "redis.pcall('sort', KEYS[3], 'alpha')",
	"redis.pcall('lpos', KEYS[2], 'x', 'count', 0)", "redis.pcall('lcs', KEYS[1], KEYS[1])", "redis.pcall('bitop', 'not', KEYS[1], KEYS[1])",
	"redis.pcall('bitcount', KEYS[1])", "redis.pcall('setbit', KEYS[1], #, 1)", "redis.pcall('mget', unpack($))",
	"redis.pcall('dump', KEYS[1])",
	"redis.pcall('keys', '*')", "redis.pcall('scan', 0, 'count', #)", "redis.pcall('del', unpack(KEYS))",
	"redis.pcall('object', 'encoding', KEYS[1])",
	"redis.pcall('publish', $, $)", "redis.pcall('xadd', KEYS[1] .. 'x', '*', 'f', $)", "redis.pcall('restore', KEYS[1], 0, $, 'replace')",
	"error($)", "error({err=$})", "error(setmetatable({}, {__tostring = function() return $ end}))",
	"error(setmetatable({}, {__index = function() return $ end}))",
	"setmetatable({}, {__index = function(t, k) return t[k .. 'x'] end}).x",
	"setmetatable({}, {__concat = function(a, b) return a .. b end}) .. $",
	"setmetatable({}, {__tostring = function(t) return tostring(t) end})",
	"tostring(setmetatable({}, {__tostring = function(t) return tostring(t) end}))",
	"setmetatable({}, {__call = function(f, ...) return f(...) end})($)", "setmetatable({}, {__unm = function(a) return -a end})",
	"setmetatable({}, {__mode = 'kv', __index = $})", "collectgarbage()", "collectgarbage('count')", "collectgarbage('step', #)",
	"coroutine.wrap(function() return @ end)()", "coroutine.resume(coroutine.create(function() return @ end))",
	"select(2, pcall(function() return @ end))",
	"xpcall(function() return @ end, function(e) return @ end)", "xpcall(function() error($) end, function(e) return {e, @} end)",
	"pcall(string.rep, $, #)", "pcall(error, $)", "math.max(unpack($))", "math.random(#)", "os and os.clock()", "{@, @}", "(@)",
}

// uses make expressions.
var uses = func() (list []func(g *generator) string) {
	for _, call := range calls {
		list = append(list, func(g *generator) string { return g.fill(call, 3) })
	}
	return list
}()

// fill puts values, sizes and calls in the places of a call. Calls go deep levels deep.
func (g *generator) fill(call string, deep int) string {
	var b strings.Builder
	for i := range len(call) {
		quoted := i+1 < len(call) && i > 0 && call[i-1] == '\''
		switch c := call[i]; {
		case c == '$' && !(i > 0 && call[i-1] == ')' && i+1 < len(call) && call[i+1] == '\''): // the anchor of a pattern
			b.WriteString(g.value())
		case c == '#' && !quoted && !strings.HasPrefix(call[i:], "#keep") && !strings.HasPrefix(call[i:], "#$") &&
			!strings.HasPrefix(call[i:], "#'"):
			fmt.Fprint(&b, g.size(1, 3e8))
		case c == '@' && deep > 0:
			b.WriteString(g.fill(pick(g, calls), deep-1))
		case c == '@':
			b.WriteString(g.value())
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// wrappers put statements into blocks.
var wrappers = []func(g *generator) (before, after string){
	func(*generator) (string, string) { return "pcall(function()", "end)" },
	func(*generator) (string, string) { return "while true do", "end" },
	func(*generator) (string, string) { return "while true do pcall(function()", "end) end" },
	func(*generator) (string, string) { return "repeat", "until #keep > 1e6" },
	func(g *generator) (string, string) { return fmt.Sprintf("for i = 1, %d do", g.size(2, 1e7)), "end" },
	func(g *generator) (string, string) {
		return fmt.Sprintf("for i = 1, %d do pcall(function()", g.size(2, 1e4)), "end) end"
	},
	func(*generator) (string, string) { return "coroutine.wrap(function()", "end)()" },
	func(*generator) (string, string) {
		return "do local c = coroutine.wrap(function() while true do", "coroutine.yield(1) end end) while true do c() end end"
	},
	func(*generator) (string, string) { return "xpcall(function() error('x') end, function(e)", "end)" },
	func(*generator) (string, string) { return "xpcall(function()", "end, function(e) return {e, e} end)" },
	func(*generator) (string, string) { return "do local function f(n)", "return 1 + f(n) end f(1) end" },
	func(*generator) (string, string) { return "do local function f(n)", "return f(n) end f(1) end" },
	func(*generator) (string, string) { return "do local function f(n)", "return pcall(f, n) end f(1) end" },
	func(*generator) (string, string) {
		return "do local function f(n)", "return coroutine.wrap(f)(n) end f(1) end"
	},
	func(*generator) (string, string) {
		return "table.sort({5, 4, 3, 2, 1}, function(a, b)", "return a < b end)"
	},
	func(*generator) (string, string) {
		return "string.gsub(string.rep('x', 1e6), '.', function(c)", "return c end)"
	},
	func(*generator) (string, string) {
		return "do local t = setmetatable({}, {__index = function(t, k)", "return t[k + 1] end}) local _ = t[1] end"
	},
	func(*generator) (string, string) {
		return "do local t = setmetatable({}, {__lt = function(a, b)", "return a < b end}) local _ = t < t end"
	},
	func(*generator) (string, string) {
		return "tostring(setmetatable({}, {__tostring = function(t)", "return 'x' end}))"
	},
	func(*generator) (string, string) {
		return "error(setmetatable({}, {__index = function(t, k)", "return k end}))"
	},
	func(*generator) (string, string) { return "for k, x in pairs({1, 2, 3, a = 1}) do", "end" },
	func(*generator) (string, string) { return "if #keep < 1e5 then", "end" },
}
