package luagen

import (
	"math/rand/v2"
	"strings"
)

// typ is the type of a variable; an any may hold every type.
type typ uint8

const (
	tAny typ = iota
	tNum
	tStr
	tBool
	tTab
	tFun
	tObj // a table with a metatable
	tNil
)

type variable struct {
	name  string
	typ   typ
	depth int // of the function that it is a local of
}

// generator makes one program.
type generator struct {
	rng  *rand.Rand
	out  []byte
	vars []variable

	depth   int // of functions
	loops   int
	level   int // of statements
	stmts   int // how many may still be made
	vararg  bool
	thread  bool // inside a coroutine
	breaks  bool // there are line breaks inside expressions
	builds  bool // the expression being made may give a string longer than its parts
	helpers map[string]bool
}

// prelude are the helpers of every program, by name, in the order of their definitions. D writes a
// value, O adds values to the trace W, Z is the fuel, C cuts a string, K makes a key that is not a
// table, and P drops a value that is too large.
var prelude = []struct{ name, source string }{
	{"D", `local function D(v,d)
local t=type(v)
if t=='string' then return '"'..v..'"' end
if t=='table' then
if d>3 then return '{...}' end
local r='{'
for k,x in pairs(v) do r=r..D(k,d+1)..'='..D(x,d+1)..',' if #r>500 then r=r..'~' break end end
return r..'}'..#v
end
if t=='number' or t=='boolean' or t=='nil' then return tostring(v) end
return t
end
`},
	{"O", `local W=''
local function O(...)
if #W<3000 then
for i=1,select('#',...) do W=W..D((select(i,...)),0)..' ' end
W=W..'|'
end
end
`},
	{"Z", `local F=0
local function Z() F=F+1 if F>400 then error('fuel',0) end end
`},
	{"C", `local function C(s) if type(s)=='string' then return (string.sub(s,1,60)) end return s end
`},
	{"K", `local function K(v) local t=type(v) if t=='table' or t=='function' or t=='thread' or v~=v then return t end return v end
`},
	{"P", `local function P(v)
local n=0
local function w(x,d)
if type(x)~='table' then return type(x)~='function' and type(x)~='thread' end
n=n+1
if n>60 or d>12 then return false end
for k,y in pairs(x) do n=n+1 if not w(k,99) or not w(y,d+1) then return false end end
return true
end
if w(v,0) then return v end
return n
end
`},
}

// Program makes a valid program. size is about how many statements it has.
func Program(rng *rand.Rand, size int) string {
	g := &generator{rng: rng, stmts: size, vararg: true, helpers: map[string]bool{"O": true, "D": true}}
	g.breaks = g.chance(4)
	for g.stmts > 0 {
		g.stmt()
	}
	g.finish()
	var b strings.Builder
	for _, h := range prelude {
		if g.helpers[h.name] {
			b.WriteString(h.source)
		}
	}
	return b.String() + string(g.out)
}

// finish ends the program: with its trace, or with an error.
func (g *generator) finish() {
	switch g.n(12) {
	case 0, 1, 2:
		g.badStmt()
		g.put("return W\n")
	case 3:
		g.put("return {W," + g.list(1+g.n(3), 2) + "}\n")
	case 4:
		g.put("return cjson.encode({W," + g.scalar(2) + ",x=" + g.helper("P") + "(" + g.tab(2) + ")})\n")
	case 5:
		g.put("return " + g.helper("P") + "(" + g.tab(3) + ")\n")
	case 6:
		g.put("O(" + g.list(3, 2) + ")\nreturn W\n")
	case 7:
		g.put("return " + g.reply(3) + "\n")
	case 8:
		g.put(g.one("redis.setresp(3) ", "redis.setresp(2) ", "") +
			"redis.call('DEL','s','h','l','z','t') redis.call('HSET','h','f','1') return {W,redis.call(" + g.one("'HGETALL','h'", "'SMEMBERS','t'",
			"'ZRANGE','z',0,-1,'WITHSCORES'", "'PING'", "'GET','none'",
			"'ZSCORE','z','a'", "'HGETALL','none'", "'LRANGE','l',0,-1", "'EXISTS','s'", "'DEBUG','PROTOCOL','map'") + ")," + g.reply(1) + "}\n")
	default:
		g.put("return W\n")
	}
}

func (g *generator) n(n int) int             { return g.rng.IntN(n) }
func (g *generator) chance(n int) bool       { return g.rng.IntN(n) == 0 }
func (g *generator) put(s string)            { g.out = append(g.out, s...) }
func (g *generator) one(of ...string) string { return of[g.n(len(of))] }

// helper notes that the program needs a helper.
func (g *generator) helper(name string) string {
	g.helpers[name] = true
	return name
}

// sp is a blank or, in some programs, a line break, where both mean the same.
func (g *generator) sp() string {
	if g.breaks && g.chance(5) {
		return "\n"
	}
	return " "
}

const names = "abcdefghijkmnpqrstuvwxyz"

// declare makes a new local, which the statements that follow may use.
func (g *generator) declare(t typ) string {
	i := g.n(len(names))
	name := names[i : i+1]
	g.add(name, t)
	return name
}

func (g *generator) add(name string, t typ) {
	g.vars = append(g.vars, variable{name: name, typ: t, depth: g.depth})
}

// fresh is a name for a local that is not declared yet.
func (g *generator) fresh() string {
	i := g.n(len(names))
	return names[i : i+1]
}

// find picks a visible variable that passes; ok is false when there is none.
func (g *generator) find(pass func(v variable) bool) (v variable, ok bool) {
	seen := map[string]bool{}
	var fit []variable
	for i := len(g.vars) - 1; i >= 0; i-- {
		v := g.vars[i]
		if !seen[v.name] && pass(v) {
			fit = append(fit, v)
		}
		seen[v.name] = true
	}
	if len(fit) == 0 {
		return v, false
	}
	return fit[g.n(len(fit))], true
}

// of picks a variable of a type.
func (g *generator) of(t typ) (string, bool) {
	v, ok := g.find(func(v variable) bool { return v.typ == t })
	return v.name, ok
}

// block makes n statements in a scope of their own.
func (g *generator) block(n int) {
	mark := len(g.vars)
	g.level++
	for range n {
		g.stmt()
	}
	g.level--
	g.vars = g.vars[:mark]
}

// captured gives what f writes, instead of writing it.
func (g *generator) captured(f func()) string {
	outer := g.out
	g.out = nil
	f()
	s := string(g.out)
	g.out = outer
	return s
}

// enclosed makes something for the inside of a function without parameters.
func (g *generator) enclosed(make func() string) string {
	return g.inFunction(nil, false, func() { g.put(make()) })
}

// value is the right side of an assignment, a result or an element: cut, where it could grow
// without bounds.
func (g *generator) value(make func() string) string {
	outer := g.builds
	g.builds = false
	s := make()
	if g.builds {
		s = g.helper("C") + "(" + s + ")"
	}
	g.builds = outer
	return s
}
