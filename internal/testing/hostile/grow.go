package hostile

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// given matches the first line of a program that wants arguments: their number and size in bytes.
var given = regexp.MustCompile(`^-- ARGV (\d+) of (\d+)\n`)

// arguments returns the ARGV of the program.
func (p Program) arguments() []string {
	m := given.FindStringSubmatch(p.Body)
	if m == nil {
		return nil
	}
	n, _ := strconv.Atoi(m[1])
	size, _ := strconv.Atoi(m[2])
	args := make([]string, n)
	for i := range args {
		args[i] = strings.Repeat(string(rune('a'+i%26)), size) + strconv.Itoa(i)
	}
	return args
}

// argv is the first line of a program with n arguments of that size.
func argv(n, size int) string { return fmt.Sprintf("-- ARGV %d of %d\n", n, size) }

// growing grow through arguments, replies and values.
var growing = []string{
	argv(300, 64<<10) + "return redis.call('rpush', KEYS[2], unpack(ARGV))",
	argv(300, 64<<10) + "redis.call('rpush', KEYS[2], unpack(ARGV)) error(ARGV[1])",
	argv(300, 64<<10) + "local t = {} for i = 1, 1000 do t[i] = ARGV end return t",
	argv(300, 64<<10) + "local t = ARGV for i = 1, 30 do t = {t, t} end return t",
	argv(300, 64<<10) + "while true do ARGV[#ARGV + 1] = table.concat(ARGV) end",
	argv(300, 64<<10) + "while true do redis.call('set', KEYS[1], table.concat(ARGV)) end",
	argv(300, 64<<10) + "return redis.pcall(unpack(ARGV))",
	argv(20, 1<<20) + "while true do redis.call('append', KEYS[1], ARGV[1]) end",
	argv(20, 1<<20) + "local s = '' while true do s = s .. redis.call('echo', s .. ARGV[1]) end",
	argv(20, 1<<20) + "for i = 1, 20 do redis.call('set', ARGV[i], 'v') end return redis.call('keys', '*')",
	argv(20, 1<<20) + "for i = 1, 20 do redis.call('xadd', '{h}x', '*', ARGV[i], ARGV[i]) end return redis.call('xrange', '{h}x', '-', '+')",
	argv(7000, 1<<10) + "return redis.call('mset', unpack(ARGV))",
	"redis.call('rpush', KEYS[2], string.rep('x', 1e5)) while true do " +
		"redis.call('lpush', KEYS[2], unpack(redis.call('lrange', KEYS[2], 0, 5000))) end",
	"redis.call('set', KEYS[1], 'x') while true do redis.call('append', KEYS[1], redis.call('get', KEYS[1])) end",
	"redis.call('set', KEYS[1], 'x') while true do redis.pcall('append', KEYS[1], redis.pcall('get', KEYS[1])) end",
	"local n = 1 while true do n = n * 2 redis.call('setrange', KEYS[1], n, 'x') end",
	"redis.call('sadd', KEYS[3], string.rep('x', 1e6)) for i = 1, 1e5 do redis.call('sunionstore', '{h}' .. i, KEYS[3]) end",
	"redis.call('setrange', KEYS[1], 1e6, 'x') for i = 1, 1e5 do redis.call('copy', KEYS[1], '{h}' .. i) end",
	"redis.call('setrange', KEYS[1], 1e6, 'x') local d = redis.call('dump', KEYS[1]) " +
		"for i = 1, 1e5 do redis.call('restore', '{h}' .. i, 0, d) end",
	"local t = {} for i = 1, 1e5 do redis.pcall('append', KEYS[1], string.rep('x', 1e5)) t[i] = redis.call('get', KEYS[1]) end return t",
}

// texts are expressions that make a text of arguments, replies and values. $ is a size.
var texts = []string{
	"ARGV[1]", "ARGV[#ARGV]", "table.concat(ARGV)", "(ARGV[1] .. tostring(ARGV[2]))", "tostring(redis.pcall('get', KEYS[1]))",
	"string.rep(ARGV[1], $)", "tostring(redis.pcall('getrange', KEYS[1], 0, $))", "redis.pcall('echo', ARGV[1])", "cjson.encode(ARGV)",
	"cmsgpack.pack(ARGV)", "tostring(redis.pcall('dump', KEYS[2]))", "tostring(keep[1])", "('x'):rep($)", "(i .. 'x')",
}

// growths are statements that make arguments, replies and values larger. ~ is a text, $ a size.
var growths = []string{
	"redis.pcall('append', KEYS[1], ~)", "redis.pcall('set', KEYS[1], ~)", "redis.pcall('setrange', KEYS[1], $, ~)",
	"redis.pcall('set', ~, ~)", "redis.pcall('set', ~, ~, 'px', $)", "redis.pcall('getset', KEYS[1], ~)",
	"redis.pcall('setbit', KEYS[1], $, 1)",
	"redis.pcall('lpush', KEYS[2], ~, ~)", "redis.pcall('rpush', KEYS[2], unpack(ARGV))", "redis.pcall('rpush', KEYS[2], unpack(keep))",
	"do local l = redis.pcall('lrange', KEYS[2], 0, $) if not l.err then " +
		"redis.pcall('lpush', KEYS[2], unpack(l, 1, math.min(#l, 7000))) end end",
	"redis.pcall('lmove', KEYS[2], KEYS[2], 'left', 'right')", "redis.pcall('sort', KEYS[2], 'alpha', 'store', '{h}sorted')",
	"redis.pcall('sadd', KEYS[3], unpack(ARGV))", "redis.pcall('sunionstore', '{h}' .. i, KEYS[3])", "redis.pcall('spop', KEYS[3], $)",
	"redis.pcall('copy', KEYS[1], '{h}' .. i, 'replace')", "redis.pcall('copy', KEYS[2], '{h}' .. i, 'replace')",
	"redis.pcall('restore', '{h}' .. i, 0, tostring(redis.pcall('dump', KEYS[2])), 'replace')",
	"redis.pcall('xadd', '{h}x', '*', ~, ~)", "redis.pcall('xgroup', 'create', '{h}x', ~, '$', 'mkstream')",
	"redis.pcall('hset', KEYS[4], ~, ~)", "redis.pcall('hset', KEYS[4], unpack(ARGV))", "redis.pcall('zadd', KEYS[5], $, ~)",
	"redis.pcall('zunionstore', '{h}' .. i, 2, KEYS[5], KEYS[3])", "redis.pcall('pfadd', '{h}p', unpack(ARGV))",
	"redis.pcall('bitop', 'not', '{h}' .. i, KEYS[1])", "redis.pcall('publish', 'c', ~)", "redis.pcall('del', unpack(KEYS))",
	"redis.pcall(unpack(ARGV))", "redis.pcall('rpush', KEYS[2], ~, {})", "redis.pcall(~, ~)",
	"keep[#keep + 1] = ~", "keep[#keep + 1] = ARGV", "keep[#keep + 1] = redis.pcall('lrange', KEYS[2], 0, -1)",
	"keep[#keep + 1] = redis.pcall('hgetall', KEYS[4])", "keep = {keep, keep, ARGV}", "ARGV[#ARGV + 1] = ~", "ARGV[1] = ~ .. ~",
	"ARGV[~] = ~", "keep[1] = ~ .. ~", "table.insert(keep, 1, ~)", "string.gsub(~, '.', function() error(~) end)",
	"keep[#keep + 1] = loadstring('return \"' .. ~ .. '\"')", "(function(...) return select('#', ...) end)(unpack(ARGV))",
	"keep[#keep + 1] = coroutine.wrap(function(...) coroutine.yield(...) end)(unpack(ARGV))", "error(~)", "error({err = ~})",
}

// grower is a program that grows through arguments, replies and values.
func (g *generator) grower() string {
	size := g.size(1, 4<<20)
	g.b.WriteString(argv(min(g.size(1, 7000), 24<<20/size), size))
	g.line("local keep, i = {}, 0")
	for range 1 + g.r.IntN(3) {
		before, after := "", ""
		switch g.r.IntN(6) {
		case 0:
			before, after = "while true do i = i + 1", "end"
		case 1:
			before, after = "while true do i = i + 1 pcall(function()", "end) end"
		case 2:
			before, after = "pcall(function()", "end)"
		default:
			before, after = fmt.Sprintf("for n = 1, %d do i = n", g.size(2, 1e6)), "end"
		}
		g.line(before)
		for range 1 + g.r.IntN(4) {
			g.growth()
		}
		g.line(after)
	}
	g.line("return " + pick(g, []string{"keep", "ARGV", "{ARGV, ARGV, ARGV}", "{keep, ARGV, keep}", "{err = ARGV[1]}", "table.concat(ARGV)",
		"{map = {a = keep, b = ARGV}}", "redis.pcall('lrange', KEYS[2], 0, -1)", "redis.pcall('get', KEYS[1])"}))
	return g.b.String()
}

// growth writes a statement.
func (g *generator) growth() {
	statement := pick(g, growths)
	for strings.Contains(statement, "~") {
		statement = strings.Replace(statement, "~", pick(g, texts), 1)
	}
	for strings.Contains(statement, "$") {
		statement = strings.Replace(statement, "$", strconv.Itoa(g.size(1, 4e7)), 1)
	}
	if strings.HasPrefix(statement, "(") { // or Lua takes it for a call of the line above
		statement = "local _ = " + statement
	}
	g.line(statement)
}
