package luagen

import (
	"fmt"
	"strings"
)

// stmt makes one statement.
func (g *generator) stmt() {
	g.stmts--
	if g.level > 3 {
		g.put("O(" + g.list(1+g.n(2), 1) + ")\n")
		return
	}
	switch g.n(47) {
	case 0, 1, 2, 3:
		g.local()
	case 4, 5:
		g.assign()
	case 6, 7, 8:
		g.put("O(" + g.list(1+g.n(3), 1+g.n(3)) + ")" + g.one("\n", "\n", ";\n", " "))
	case 9, 10:
		g.ifStmt()
	case 11:
		g.while()
	case 12, 13:
		g.numericFor()
	case 14, 15:
		g.genericFor()
	case 16, 17:
		g.localFunction()
	case 18:
		g.closures()
	case 19, 20:
		g.object()
	case 21:
		g.class()
	case 22, 23, 24:
		g.tableOps()
	case 25, 26, 27, 28:
		g.guarded()
	case 29:
		g.coroutine()
	case 30:
		g.redis()
	case 31:
		g.put("do\n")
		g.block(1 + g.n(3))
		g.put("end\n")
	case 32:
		g.sort()
	case 33, 34:
		g.effects()
	case 35, 36, 37:
		g.levels()
	case 38, 39:
		g.packers()
	case 40:
		g.put(g.one("-- a comment\n", "--[[ long ]] ", "--[==[ of\n]] two lines ]==]\n", "--;\n", "--\n\n", "--[ no\n"))
	case 43, 44, 45:
		g.rarely()
	case 41:
		g.whileTrue()
	case 42:
		g.put("O(" + g.one("unpack", "select") + "(" + g.one(g.small(), g.array(1)) + "," + g.small() + "," + g.small() + "))\n")
	default:
		g.source()
	}
}

func (g *generator) local() {
	switch g.n(8) {
	case 0, 1:
		e := g.value(func() string { return g.num(3) })
		g.put("local " + g.declare(tNum) + " = " + g.forNum(e) + "\n")
	case 2, 3:
		e := g.value(func() string { return g.str(3) })
		g.put("local " + g.declare(tStr) + " = " + e + "\n")
	case 4:
		e := g.constructor(3)
		g.put("local " + g.declare(tTab) + " = " + e + "\n")
	case 5:
		e := g.cond(3)
		g.put("local " + g.declare(tBool) + " = not (" + e + ")\n")
	default:
		n := 1 + g.n(4)
		var list []string
		for range g.n(4) {
			list = append(list, g.value(func() string { return g.any(2) }))
		}
		var vars []string
		for range n {
			vars = append(vars, g.declare(tAny))
		}
		s := "local " + strings.Join(vars, ",")
		if len(list) > 0 {
			s += " =" + g.sp() + strings.Join(list, ",")
		}
		g.put(s + "\n")
	}
}

// forNum keeps a number as it is; a cut one too.
func (g *generator) forNum(e string) string { return strings.TrimSuffix(e, " ") }

// target is a variable or element to assign to, with its type.
func (g *generator) target() (string, typ, bool) {
	if g.chance(3) {
		if v, ok := g.of(tTab); ok {
			return v + g.index(1), tAny, true
		}
	}
	v, ok := g.find(func(v variable) bool { return v.typ <= tBool })
	return v.name, v.typ, ok
}

func (g *generator) assign() {
	n := 1
	if g.chance(2) {
		n = 1 + g.n(3)
	}
	var lhs, rhs []string
	for range n {
		t, kind, ok := g.target()
		if !ok {
			g.local()
			return
		}
		lhs = append(lhs, t)
		rhs = append(rhs, g.value(func() string {
			switch kind {
			case tNum:
				return g.num(2)
			case tStr:
				return g.str(2)
			case tBool:
				return "not (" + g.cond(2) + ")"
			}
			if strings.ContainsAny(t, ".[") {
				return g.scalar(2)
			}
			return g.any(2)
		}))
	}
	if n == 2 && g.chance(2) && !strings.ContainsAny(lhs[0]+lhs[1], "K(") { // a swap, of equal types or not
		rhs[0], rhs[1] = lhs[1], lhs[0]
		for _, name := range lhs {
			if len(name) == 1 {
				g.add(name, tAny) // from here on it may hold either
			}
		}
	}
	g.put(strings.Join(lhs, ", ") + g.sp() + "=" + g.sp() + strings.Join(rhs, ", ") + "\n")
	if g.chance(2) {
		g.put("O(" + strings.Join(lhs, ",") + ")\n")
	}
}

func (g *generator) ifStmt() {
	g.put("if " + g.cond(3) + " then\n")
	g.block(g.n(3))
	for range g.n(3) {
		if g.chance(2) {
			g.put("elseif " + g.cond(2) + " then\n")
			g.block(g.n(2))
		}
	}
	if g.chance(2) {
		g.put("else\n")
		g.block(1 + g.n(2))
	}
	if g.loops > 0 && g.chance(3) {
		g.put("break\n")
	} else if g.depth > 0 && g.chance(4) {
		g.put("return " + g.result(tAny, 1) + "\n")
	}
	g.put("end\n")
}

// body of a loop: fuel, since loops stand in loops.
func (g *generator) loop(declare func()) {
	mark := len(g.vars)
	g.loops++
	declare()
	g.put(g.helper("Z") + "()\n")
	g.block(1 + g.n(3))
	g.loops--
	g.vars = g.vars[:mark]
}

func (g *generator) while() {
	count := fmt.Sprint("n", len(g.vars))
	g.add(count, tNil) // not to be assigned to
	limit := g.one("2", "3", "5")
	g.put("local " + count + " = 0\n")
	if g.chance(2) {
		g.put("while " + count + " < " + limit + g.one("", " and "+g.cond(1)) + " do\n" + count + " = " + count + " + 1\n")
		g.loop(func() {})
		g.put("end\n")
		return
	}
	g.put("repeat\n" + count + " = " + count + " + 1\n")
	g.loop(func() {})
	g.put("until " + count + " >= " + limit + g.one("", " or "+g.cond(1)) + "\n")
}

// whileTrue is a loop that only a break ends.
func (g *generator) whileTrue() {
	count := fmt.Sprint("n", len(g.vars))
	g.add(count, tNil)
	g.put("local " + count + " = 0\nwhile " + g.one("true", "1", "'x'", "not nil", "true and 1") + " do\n" + count + " = " + count + " + 1\n")
	g.loop(func() {})
	g.put(g.one("if "+count+" > 2 then break end\n", "if "+count+" <= 2 then O("+count+") else break end\n", "do if "+count+
		" > 1 then break end end\n") + "end\n")
}

func (g *generator) numericFor() {
	v := g.fresh()
	g.put(fmt.Sprintf("for %s = %s do\n", v, g.one("1,3", "3,1,-1", "1,0", "0,1,0.25", "1,10,4", "-1,1", "5,1,-2", "'1',3", "1,'2'",
		"10,1,-3.5", "1,2.5", "0.1,0.5,0.1", "1,(0/0)", "3,3",
		"1,#'abc'", "-2,-1", "1,3,'1'", "2^53,2^53+3,2", "1,math.huge,1e307")))
	g.loop(func() { g.add(v, tNum) })
	g.put("end\n")
}

func (g *generator) genericFor() {
	k, v := g.fresh(), g.fresh()
	head := ""
	kind := tAny
	switch g.n(8) {
	case 0, 1:
		head = fmt.Sprintf("for %s,%s in pairs(%s) do", k, v, g.constructor(2))
	case 2:
		head = fmt.Sprintf("for %s,%s in ipairs(%s) do", k, v, g.constructor(2))
	case 3:
		head = fmt.Sprintf("for %s,%s in next,%s do", k, v, g.constructor(2))
	case 4:
		head = fmt.Sprintf("for %s,%s in string.gmatch(%s,%s) do", k, v, g.str(2), g.pattern())
	case 5:
		head = fmt.Sprintf("for %s in (function() local i = 0 return function() i = i + 1 if i < 4 then return i,%s end end end)() do local "+
			"%s = %s", k, g.enclosed(func() string { return g.any(1) }), v, k)
	case 6:
		head = fmt.Sprintf("for %s,%s in function(s,c) if c < 3 then return c + 1,s end end,%s,0 do", k, v, g.scalar(1))
	default:
		head = fmt.Sprintf("for %s,%s in coroutine.wrap(function() for i = 1,3 do coroutine.yield(i,%s) end end) do", k, v,
			g.enclosed(func() string { return g.scalar(1) }))
	}
	g.put(head + "\n")
	g.loop(func() { g.add(k, kind); g.add(v, kind) })
	g.put("end\n")
}

// coroutine makes one and resumes it a few times.
func (g *generator) coroutine() {
	text, params, vararg := g.params()
	thread := g.thread
	g.thread = true
	body := g.inFunction(params, vararg, func() {
		for range 1 + g.n(3) {
			switch g.n(6) {
			case 0:
				g.put("O(coroutine.yield(" + g.list(g.n(3), 1) + "))\n")
			case 1:
				g.put("O(pcall(coroutine.yield," + g.list(1, 1) + "))\n")
			case 2:
				g.put("O(pcall(function() " + g.enclosed(g.bad) + "\nend))\n")
			case 3:
				g.put("for i = 1,2 do local x = coroutine.yield(i) O(x) end\n")
			default:
				g.block(1)
			}
		}
		if g.chance(4) {
			g.badStmt()
		}
		g.put("return " + g.result(tAny, 1) + "\n")
	})
	g.thread = thread
	co := g.fresh()
	if g.chance(2) {
		g.put("local " + co + " = coroutine.create(function" + text + "\n" + body + "end)\n")
		g.add(co, tNil)
		g.put("for _ = 1," + g.one("1", "2", "4") + " do O(coroutine.resume(" + co + "," + g.list(1+g.n(2), 1) + ")) O(coroutine.status(" + co +
			")) end\n")
		return
	}
	g.put("local " + co + " = coroutine.wrap(function" + text + "\n" + body + "end)\n")
	g.add(co, tNil)
	g.put("for _ = 1," + g.one("1", "2", "4") + " do O(pcall(" + co + "," + g.list(1+g.n(2), 1) + ")) end\n")
}

// redis calls commands and looks at what they answer.
func (g *generator) redis() {
	g.put("O(redis." + g.one("call", "call", "pcall") + "('DEL','s','h','l','z'))\n")
	for range 1 + g.n(4) {
		call := g.one("call", "call", "pcall")
		arg := g.one(g.num(1), g.str(1))
		g.put("O(redis." + call + "(" + g.one(
			"'SET','s',"+arg, "'GET','s'", "'GET','none'", "'INCR','s'", "'INCRBY','s',5", "'APPEND','s',"+arg, "'STRLEN','s'",
			"'HSET','h','f',"+arg+",'g',1", "'HGETALL','h'", "'HGET','h','none'", "'RPUSH','l',"+arg+",2,'x'", "'LRANGE','l',0,-1", "'LPOP','l'",
			"'LPOP','none'",
			"'ZADD','z',1,"+arg, "'ZRANGE','z',0,-1,'WITHSCORES'", "'ZSCORE','z','q'", "'TYPE','s'", "'EXISTS','s','h'", "'PING'", "'ECHO',"+arg,
			"KEYS[1]", "'GET'", "'MGET','s','none'", "'EVAL','return 1',0", arg) + "))\n")
	}
	if g.chance(3) {
		g.put("O(" + g.one("redis.status_reply("+g.str(1)+")", "redis.error_reply('oops')", "KEYS", "ARGV", "KEYS[1]..ARGV[2]", "#ARGV",
			"redis.REPL_ALL", "redis.setresp(2)") + ")\n")
	}
}

func (g *generator) sort() {
	t := g.fresh()
	g.put("local " + t + " = {" + g.one("5,2,8,1,9,3", "'b','a','c','A',''", "3,1,2,2,1,3,1", "1.5,-2,0,1e10,-1e10", g.list(g.n(5), 1)) +
		"}\n")
	g.add(t, tTab)
	g.put("O(pcall(table.sort," + t + g.one("", "", ",function(x,y) return x>y end", ",function(x,y) return tostring(x)<tostring(y) end",
		",function(x,y) O(x,y) return x<y end",
		",function() return true end", ",function(x,y) return x<=y end", ",function() error('cmp') end", ",1") + "))\nO(" + t + ")\n")
}

// source compiles a chunk inside the program.
func (g *generator) source() {
	text := g.one("return 1", "return ...", "x =", "local a = 1 return a + ...", "return 1 +", "error('in')", "local t t.x = 1",
		"return function() return 7 end", "a b", "return '", "for", "\\n\\nreturn nil + 1")
	name := g.one("", "", ",'=name'", ",'@file'", ",'text of\\nlines'", ",'chunk'")
	g.put("O(pcall(function(...) local f,e = loadstring(" + quoted(text) + name + ") O(e) return f(...) end," + g.list(1, 1) + "))\n")
}

func quoted(s string) string { return "\"" + strings.ReplaceAll(s, "\"", "\\\"") + "\"" }
