package luagen

import (
	"fmt"
	"strings"
)

// guarded runs statements, most of which fail, in a protected call.
func (g *generator) guarded() {
	text, params, vararg := g.params()
	handler := g.chance(5)
	if handler {
		text, params, vararg = "()", nil, false
	}
	body := g.inFunction(params, vararg, func() {
		if g.level < 2 {
			g.block(g.n(3))
		}
		g.put(g.bad() + "\n")
	})
	if handler {
		g.put("O(xpcall(function()" + g.sp() + body + "end," + g.one("function(e) O(e) return e end", "function(e) return type(e),2 end",
			"function(e) error(e) end", "function() end", "type", "1") + "))\n")
		return
	}
	g.put("O(pcall(function" + text + g.sp() + body + "end" + strings.Repeat(","+g.scalar(1), g.n(2)) + "))\n")
}

// badStmt is a statement that ends the program with an error.
func (g *generator) badStmt() { g.put("do " + g.bad() + "\nend\n") }

// operand is an expression of a type that is wrong in its place; decl declares what it needs.
func (g *generator) operand() (decl, e string) {
	v := g.one("nil", "nil", "nil", "true", "false", "5", "'s'", "{}", "function() end", "'10'", "0/0")
	name := g.one("a", "b", "x", "y", "foo", "value")
	switch g.n(19) {
	case 14:
		return "local " + name + ",k2 = " + v + "\n", g.one("("+name+" or k2)", "("+name+" and k2)", "(k2 or "+name+")", "("+name+
			" and undefined or k2)", "(not "+name+")", "("+name+")")
	case 15:
		return "local " + name + " = {a={b={" + v + ",c=" + v + "}}}\n", name + g.one(".a.b.c", ".a.b[1]", ".a['b'].c", ".a.x", ".a.b.c.d",
			".q.r")
	case 16:
		return "local function fn() return " + v + "," + v + " end local " + name + " = {fn}\n", g.one("fn()", "(fn())", name+"[1]()",
			"select(2,fn())", name+"[#"+name+"]")
	case 17:
		return "local " + name + " = 'str'\n", name + g.one(".x", ".len.x", ":upper().y", "[1]", "['rep']", ".x.y")
	case 18:
		return "", g.one("KEYS[3]", "ARGV[9]", "KEYS.x", "redis.call('GET','none')", "redis.call('HGETALL','none')[1]", "cjson.null",
			"cjson.decode('[null]')[1]", "KEYS[1].x", "tonumber('x')", "string.find('a','b')", "math.pi")
	case 0, 1, 2:
		return "local " + name + " = " + v + "\n", name
	case 3:
		return "local " + name + " = {bar=" + v + "}\n", name + ".bar"
	case 4:
		return "local " + name + " = {" + v + "}\n", name + "[1]"
	case 5:
		return "local " + name + ",kk = {bar=" + v + "},'bar'\n", name + "[kk]"
	case 6:
		return "local " + name + " = {bar={baz=" + v + "}}\n", name + ".bar.baz"
	case 7:
		return "local " + name + " = function() return " + v + " end\n", name + "()"
	case 8:
		return "", "(" + v + ")"
	case 9:
		return "", g.one("undefined", "KEYS", "ARGV", "math", "string.x", "redis.none", "_G.undefined", "tostring")
	case 10, 11: // some variable of the program; mostly an upvalue
		if v, ok := g.find(func(v variable) bool { return v.typ != tNil }); ok {
			return "", v.name
		}
	case 12:
		return "local " + name + " = {f=function() return " + v + " end}\n", name + ":f()"
	}
	return "local " + name + "\n", name
}

// bad is one or more statements the last of which mostly fails.
func (g *generator) bad() string {
	decl, x := g.operand()
	decl2, y := g.operand()
	if g.chance(2) {
		decl2, y = "", g.one("1", "'a'", "nil", "{}", "true", "2.5")
	}
	decl += decl2
	if g.chance(6) { // seen as an upvalue
		inner := g.enclosed(func() string { return g.failure(x, y) })
		return decl + "return (function()" + g.sp() + inner + g.sp() + "end)()"
	}
	return decl + g.failure(x, y)
}

func (g *generator) failure(x, y string) string {
	s, decl := g.sp, ""
	r := g.one("return ", "local r = ", "O(1,", "if ", "return 1,")
	expr := func(e string) string {
		switch r {
		case "O(1,":
			return "O(1," + s() + e + ")"
		case "if ":
			return "if " + e + " then O(2) end"
		}
		return r + e
	}
	switch g.n(26) {
	case 0:
		return expr(x + g.one(".field", "[1]", "['key']", ".a.b", "["+y+"]"))
	case 1:
		if strings.HasPrefix(x, "(") {
			decl = "local z = " + x + " "
			x = "z"
		}
		return decl + x + g.one(".field", "[1]", ".a.b") + s() + "=" + s() + y
	case 2, 3:
		return expr(x + "(" + g.list(g.n(3), 1) + ")")
	case 4:
		return expr(x + ":method(" + g.list(g.n(3), 1) + ")")
	case 5:
		return expr(x + g.one(".field", "[1]", ".a.b", "['key']") + "(" + g.list(g.n(2), 1) + ")")
	case 6, 7:
		return expr(x + s() + g.one("+", "-", "*", "/", "%", "^") + s() + y)
	case 8:
		return expr(y + s() + g.one("+", "-", "*", "/", "%", "^") + s() + x)
	case 9:
		return expr("-" + x)
	case 10:
		return expr(x + s() + ".." + s() + y)
	case 11:
		return expr(y + s() + ".." + s() + x)
	case 12:
		return expr("'a' .." + s() + "1 .." + s() + x + s() + ".. 'b'")
	case 13, 14:
		return expr(x + s() + g.one("<", "<=", ">", ">=") + s() + y)
	case 15:
		return expr("#" + x)
	case 16:
		return "for i = " + g.one(x+",2", "1,"+x, "1,2,"+x) + " do O(i) break end"
	case 17:
		return "for k,v in " + g.one(x, "pairs("+x+")", "ipairs("+x+")", "next,"+x, x+",1,2") + " do O(k) break end"
	case 18:
		return "local t = {} t[" + g.one(x, "nil", "0/0") + "] = " + y
	case 19:
		return expr("{[" + g.one(x, "nil", "0/0") + "]=" + y + "}")
	case 20:
		return g.raise(x)
	case 21:
		return "undefined = " + y
	}
	return expr(g.badCall(x, y))
}

func (g *generator) raise(x string) string {
	return g.one("error('msg')", "error('msg',0)", "error('msg',1)", "error('msg',2)", "error('msg',3)", "error()", "error(nil)", "error(42)",
		"error(true)", "error({err='E'})", "error({err='E',x=1},2)",
		"error(setmetatable({err='M'},{__tostring=function() return 'T' end}))", "assert(false)", "assert(nil,'why')", "assert(false,5)",
		"assert()", "assert("+x+")",
		"redis.call('nosuch')", "redis.call('GET')", "redis.call()", "redis.call('SET',{},1)", "redis.call('LPUSH','s')", "error('a\\nb')",
		"error(cjson.null)", "local function f() error('lvl',2) end f()",
		"return error('tail')", "return pcall(error,{1,2})", "local ok,e = pcall(error,{code=7}) O(ok,e) error(e.code)", "coroutine.yield(1)",
		"getmetatable('').__index.x = 1", "string.x = 1")
}

// badCall is a call of a library function with wrong arguments.
func (g *generator) badCall(x, y string) string {
	fn := g.one("string.sub", "string.upper", "string.len", "string.byte", "string.char", "string.format", "string.find", "string.match",
		"string.gsub", "string.gmatch", "string.reverse",
		"table.insert", "table.remove", "table.concat", "table.sort", "table.maxn", "table.getn", "table.foreach", "unpack", "math.floor",
		"math.max", "math.fmod", "math.ldexp",
		"tonumber", "setmetatable", "getmetatable", "rawget", "rawset", "rawequal", "next", "pairs", "ipairs", "select", "type", "loadstring",
		"pcall", "xpcall",
		"cjson.encode", "cjson.decode", "cmsgpack.pack", "cmsgpack.unpack", "struct.pack", "struct.unpack", "struct.size", "bit.band",
		"bit.tohex", "bit.bnot",
		"coroutine.create", "coroutine.resume", "coroutine.status", "coroutine.wrap", "redis.sha1hex", "redis.status_reply", "redis.error_reply",
		"redis.log", "redis.setresp", "redis.call", "redis.pcall")
	switch g.n(7) {
	case 0: // a count that may be any number would take all memory
		return g.one("string.rep()", "string.rep('x')", "string.rep({},1)", "string.rep('x',{})", "('x'):rep(nil)", "('x'):rep('a')",
			"string.rep('x','3')", "table.insert({1,2},-1,0)")
	case 1:
		return fn + "()"
	case 2:
		return fn + "(" + x + ")"
	case 3:
		return fn + "(" + x + "," + y + ")"
	case 4:
		return fn + "(" + y + "," + x + ")"
	case 5:
		return fmt.Sprintf("('x'):%s(%s)", g.one("sub", "byte", "find", "format", "gsub", "upper", "nosuch", "match"), x)
	}
	return fn + "(" + y + "," + x + "," + g.one("1", "nil", "'z'", "{}", "-1") + ")"
}
