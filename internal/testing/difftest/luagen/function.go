package luagen

import (
	"strings"
)

// inFunction makes a function's body: what body writes, with fuel, in a scope where params are
// declared.
func (g *generator) inFunction(params []string, vararg bool, body func()) string {
	mark := len(g.vars)
	loops, outerVararg, builds := g.loops, g.vararg, g.builds
	g.depth++
	g.loops, g.vararg, g.builds = 0, vararg, false
	for _, p := range params {
		g.add(p, tAny)
	}
	s := g.captured(body)
	g.vars = g.vars[:mark]
	g.depth--
	g.loops, g.vararg, g.builds = loops, outerVararg, builds
	return s
}

// params makes a parameter list. It returns the names, and whether there is a ... at the end.
func (g *generator) params() (text string, names []string, vararg bool) {
	for range g.n(4) {
		names = append(names, g.fresh())
	}
	vararg = g.chance(4)
	text = strings.Join(names, ",")
	if vararg {
		if text != "" {
			text += ","
		}
		text += "..."
	}
	return "(" + text + ")", names, vararg
}

// function is a function expression that gives a type.
func (g *generator) function(t typ, d int) string {
	text, names, vararg := g.params()
	return "function" + text + g.body(names, vararg, t, d) + " end"
}

// body is a function's body, from its parameters to its end. It is short, and longer when there is
// room.
func (g *generator) body(params []string, vararg bool, t typ, d int) string {
	return g.inFunction(params, vararg, func() {
		g.put(" " + g.helper("Z") + "() ")
		if g.stmts > 3 && g.level < 3 && g.chance(2) {
			g.put("\n")
			g.block(1 + g.n(3))
		}
		if vararg && g.chance(3) {
			g.put(g.one("local arg = {...} ", "O(arg) ", "O(...) ", "O(select('#',...)) "))
		}
		g.put("return " + g.result(t, d))
	})
}

// result is what stands behind return.
func (g *generator) result(t typ, d int) string {
	switch t {
	case tNum:
		return g.num(d)
	case tStr:
		return g.value(func() string { return g.str(d) })
	case tTab:
		return g.constructor(d)
	}
	switch g.n(6) {
	case 0:
		if s, ok := g.call(d); ok {
			return s // a tail call
		}
	case 1:
		return g.value(func() string { return g.any(d) }) + "," + g.value(func() string { return g.any(d) })
	case 2:
		if g.vararg {
			return "..."
		}
	}
	return g.value(func() string { return g.any(d) })
}

// localFunction declares a function, often a recursive one.
func (g *generator) localFunction() {
	name := g.fresh()
	if g.chance(4) { // recursive, with a number that ends it
		g.put("local function " + name + "(n)\n")
		g.put("if n <= 0 then return " + g.scalar(1) + " end\n")
		s := g.inFunction([]string{"n"}, false, func() { g.block(g.n(3)) })
		g.put(s)
		g.put("return " + g.one(name+"(n - 1)", "1, "+name+"(n - 1)", "{"+name+"(n - 1)}", "("+name+"(n - 1))", name+"(n - 2), "+name+"(n - 1)") +
			"\nend\n")
		g.add(name, tNil) // not called with any value
		g.put("O(pcall(" + name + "," + g.small() + "))\n")
		return
	}
	text, params, vararg := g.params()
	body := ""
	if g.chance(2) {
		body = g.body(params, vararg, tAny, 2)
		g.put("local function " + name + text + body + "\nend\n")
	} else {
		g.put("local " + name + " =" + g.sp() + "function" + text + g.body(params, vararg, tAny, 2) + " end\n")
	}
	g.add(name, tFun)
	if g.chance(2) {
		g.put("O(pcall(" + name + "," + g.list(1+g.n(3), 1) + "))\n")
	}
}

// closures makes functions that share or own upvalues, some of them in a loop.
func (g *generator) closures() {
	t, v := g.fresh(), g.fresh()
	if t == v {
		v = "_v"
	}
	g.put("local " + t + " = {}\n")
	step := v + " = " + v + " + " + g.one("1", "2", "0.5", "#"+t)
	fn := "function() " + step + " return " + v + " end"
	switch g.n(5) {
	case 0:
		g.put("for " + v + " = 1,3 do\n" + t + "[#" + t + "+1] = " + fn + "\nend\n")
	case 1:
		g.put("local i = 0\nwhile i < 3 do\ni = i + 1\nlocal " + v + " = i\n" + t + "[i] = " + fn + "\n" + g.one("", "if i == 2 then break end\n",
			"pcall(error,'e')\n") + "end\n")
		g.add("i", tNum)
	case 2:
		g.put("local i = 0\nrepeat\nlocal " + v + " = i\ni = i + 1\n" + t + "[i] = " + fn + "\nuntil " + v + " >= 2\n")
		g.add("i", tNum)
	case 3:
		g.put("local " + v + " = " + g.small() + "\n" + t + "[1] = " + fn + "\n" + t + "[2] = " + fn + "\n" +
			g.one("", v+" = 10\n", "pcall(function() "+v+" = 5 error('x') end)\n"))
		g.add(v, tNum)
	default:
		g.put("for k," + v + " in pairs({3,4,5}) do " + t + "[k] = " + fn + " " + g.one("", t+"[k]()", v+" = "+v+" * 2") + " end\n")
	}
	g.put("for _ = 1,2 do for i = 1,#" + t + " do O(pcall(" + t + "[i])) end end\n")
}

// object makes a table with metamethods and uses it.
func (g *generator) object() {
	var meta []string
	fn := func(params string, t typ) string {
		names := strings.Split(params, ",")
		return "function(" + params + ")" + g.body(names, false, t, 1) + " end"
	}
	for range 1 + g.n(5) {
		switch event := g.one("add", "sub", "mul", "div", "mod", "pow", "unm", "concat", "eq", "lt", "le", "len", "call", "tostring", "index",
			"index", "newindex"); event {
		case "call":
			meta = append(meta, "__call="+fn("u,v,w", tAny))
		case "tostring":
			meta = append(meta, "__tostring="+fn("u", tStr))
		case "index":
			meta = append(meta, "__index="+g.one(fn("u,v", tAny), g.constructor(2), fn("u,v", tAny)))
		case "newindex":
			meta = append(meta, "__newindex="+g.one("function(u,v,w) rawset(u,"+g.helper("K")+"(v),w) end", fn("u,v,w", tAny), g.constructor(1)))
		case "eq", "lt", "le":
			meta = append(meta, "__"+event+"=function(u,v)"+g.inFunction([]string{"u", "v"}, false, func() {
				g.put(" " + g.helper("Z") + "() O('" + event + "') return " + g.cond(1))
			})+" end")
		default:
			meta = append(meta, "__"+event+"="+fn("u,v", tAny))
		}
	}
	if g.chance(6) {
		meta = append(meta, g.one("__mode='k'", "__metatable='locked'", "__metatable=false", "__gc=1"))
	}
	m := g.fresh()
	g.put("local " + m + " = {" + strings.Join(meta, ",") + "}\n")
	g.add(m, tNil)
	for range 1 + g.n(2) {
		init := g.constructor(1)
		name := g.fresh()
		if name == m {
			continue
		}
		g.put("local " + name + " = setmetatable(" + init + "," + m + ")\n")
		g.add(name, tObj)
	}
	for range 1 + g.n(4) {
		g.put("O(pcall(function() " + g.enclosed(g.useObject) + " end))\n")
	}
}

func (g *generator) useObject() string {
	a, ok := g.of(tObj)
	if !ok {
		return "return 0"
	}
	b, _ := g.of(tObj)
	x := g.one(b, g.num(1), g.str(1), g.any(1))
	switch g.n(12) {
	case 0, 1:
		return "return " + a + g.sp() + g.one("+", "-", "*", "/", "%", "^") + g.sp() + x
	case 2:
		return "return " + x + g.sp() + g.one("+", "-", "*", "/", "%", "^") + g.sp() + a
	case 3:
		return "return " + g.one(a+" .. "+x, x+" .. "+a, "'x' .. 1 .. "+a+" .. 'y'", a+" .. "+b+" .. "+a)
	case 4:
		return "return " + a + g.sp() + g.one("==", "~=", "<", "<=", ">", ">=") + g.sp() + b
	case 5:
		return "return " + a + g.one("<", "<=", "==", ">") + x
	case 6:
		return "return -" + a + ", #" + a
	case 7:
		return "return " + a + "(" + g.list(g.n(3), 1) + ")"
	case 8:
		return a + g.index(2) + " = " + g.scalar(1) + " return " + a
	case 9:
		return "return rawget(" + a + "," + g.key(1) + "), rawequal(" + a + "," + b + "), type(getmetatable(" + a + "))"
	case 10:
		return "return " + a + ":" + g.one("get", "x", "a", "name") + "(" + g.list(g.n(2), 1) + ")"
	}
	return "return " + a + g.index(2)
}

// class makes a table with methods.
func (g *generator) class() {
	c := g.fresh()
	g.put("local " + c + " = {}\n" + c + ".__index = " + c + "\n")
	g.add(c, tNil)
	g.put("function " + c + ".new(x) return setmetatable({x=x}," + c + ") end\n")
	text, params, vararg := g.params()
	g.put("function " + c + ":get" + text + g.body(append([]string{"self"}, params...), vararg, tAny, 2) + "\nend\n")
	g.put(c + ".sub = {}\nfunction " + c + ".sub.f" + text + g.body(params, vararg, tAny, 1) + " end\n")
	g.put("O(pcall(function() " + g.enclosed(func() string {
		return "local z = " + c + ".new(" + g.scalar(1) + ") return " +
			g.one("z:get("+g.list(g.n(3), 1)+")", "z.x", "z.get(z)", "z:miss()", c+".sub.f("+g.list(g.n(3), 1)+")", "z.sub.g()", c+".new(1):get()")
	}) + " end))\n")
}
