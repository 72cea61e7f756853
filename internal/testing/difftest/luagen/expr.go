package luagen

import (
	"fmt"
	"strings"
)

var numerals = []string{"0", "1", "2", "3", "4", "5", "7", "10", "-1", "-2", "0.5", "1.5", "2.25", "-0.75", "100", "255", "256", "1000",
	"1e3", "1e15",
	"1e16", "123456789012345", "12345678901234567890", "0x10", "0xfF", "1e-5", "0.1", "3.14159", "1e308", "(1/0)", "(-1/0)", "(0/0)", "(-0)",
	"2^53",
	"2147483648", "4294967296", "-2147483649", "1e100", ".5", "5.", "1E+2", "9007199254740993", "1/3", "-7", "16777216"}

func (g *generator) numeral() string {
	if g.n(3) > 0 {
		return numerals[g.n(12)]
	}
	return numerals[g.n(len(numerals))]
}

// small is an integer near zero.
func (g *generator) small() string { return g.one("0", "1", "2", "3", "4", "-1", "-2", "5", "-3") }

func (g *generator) paren(s string) string { return "(" + s + ")" }

func (g *generator) num(d int) string {
	if d <= 0 || g.chance(4) {
		if v, ok := g.of(tNum); ok && g.n(3) > 0 {
			return v
		}
		return g.numeral()
	}
	switch g.n(22) {
	case 0, 1, 2, 3, 4:
		return g.num(d-1) + g.sp() + g.one("+", "-", "*", "/", "%", "^", "+", "-", "%") + g.sp() + g.num(d-1)
	case 5:
		return g.paren(g.num(d-1) + g.sp() + g.one("+", "-", "*", "/", "%") + g.sp() + g.num(d-1))
	case 6:
		return "- " + g.num(d-1)
	case 7:
		return "#" + g.paren(g.str(d-1))
	case 8:
		if v, ok := g.of(tTab); ok {
			return "#" + v
		}
		return "#" + g.paren(g.tab(d-1))
	case 9, 10:
		return g.numCall(d - 1)
	case 11:
		return "(tonumber(" + g.str(d-1) + ")" + g.one("", "", "") + " or " + g.num(d-1) + ")"
	case 12:
		return fmt.Sprintf("select('#',%s)", g.list(1+g.n(3), d-1))
	case 13:
		return "(" + g.cond(d-1) + " and " + g.num(d-1) + g.sp() + "or " + g.num(d-1) + ")"
	case 14:
		return g.one("'10'", "'0x1f'", "' 5 '", "'1e2'", "'010'", "\"3\"", "'-2'", "'.5'") + g.sp() + g.one("+", "-", "*", "/", "%", "^") +
			g.sp() + g.num(d-1)
	case 15:
		return g.num(d-1) + g.sp() + g.one("+", "-", "*", "%") + g.sp() + g.one("'7'", "'0x10'", "'1.5e1'", "'  3'", "'-0'")
	case 16:
		return g.paren(g.function(tNum, d-1)) + "(" + g.list(g.n(3), d-1) + ")"
	case 17:
		return fmt.Sprintf("bit.%s(%s,%s)", g.one("band", "bor", "bxor", "lshift", "rshift", "arshift", "rol", "ror"), g.num(d-1), g.num(d-1))
	case 18:
		return fmt.Sprintf("bit.%s(%s)", g.one("tobit", "bnot", "bswap"), g.num(d-1))
	case 19:
		return fmt.Sprintf("table.%s(%s)", g.one("getn", "maxn"), g.tab(d-1))
	case 20:
		return g.paren(g.num(d - 1))
	}
	return g.numeral()
}

func (g *generator) numCall(d int) string {
	switch g.n(9) {
	case 0:
		return fmt.Sprintf("math.%s(%s)", g.one("floor", "ceil", "abs", "sqrt", "deg", "rad", "exp", "log", "log10", "sin", "cos", "atan"),
			g.num(d))
	case 1:
		return fmt.Sprintf("math.%s(%s,%s)", g.one("max", "min", "fmod", "pow", "atan2", "mod"), g.num(d), g.num(d))
	case 2:
		return fmt.Sprintf("math.ldexp(%s,%s)", g.num(d), g.small())
	case 3:
		return g.one("math.pi", "math.huge", "-math.huge")
	case 4:
		return "string.len(" + g.str(d) + ")"
	case 5:
		return fmt.Sprintf("(string.byte(%s,%s) or 0)", g.str(d), g.small())
	case 6:
		return fmt.Sprintf("(string.find(%s,%s) or -1)", g.str(d), g.pattern())
	case 7:
		return fmt.Sprintf("(math.randomseed(%s) or math.random(%s))", g.small(), g.one("", "10", "3,7", "-5,5", "100"))
	}
	return fmt.Sprintf("(tonumber(%s,%s) or 0)", g.one("'ff'", "'101'", "'zz'", "'-7'", "'8'", "' 11 '", "''", "'1.5'"),
		g.one("2", "8", "10", "16", "36"))
}

var literals = []string{`''`, `'a'`, `"b"`, `'abc'`, `'hello world'`, `"x\ny"`, `'\065\66'`, `[[long]]`, "[==[\nx]]y]==]", `'%d+'`,
	`"it's"`, `'a,b,,c'`,
	`'10'`, `'0x10'`, `' 7 '`, `'1e2'`, `'nan'`, `'Hello'`, `'\0z'`, `'\255\128'`, `"tab\tq\"q"`, `'k1'`, `'aXbXc'`, `'  trim '`, `'(x)[y]'`,
	"'\\\n'", `'true'`, `'nil'`,
	`'aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd'`, `'-5'`, `'\r\n'`, `'a.b.c'`}

func (g *generator) literal() string { return literals[g.n(len(literals))] }

func (g *generator) str(d int) string {
	if d <= 0 || g.chance(4) {
		if v, ok := g.of(tStr); ok && g.n(3) > 0 {
			return v
		}
		return g.literal()
	}
	g.builds = true
	switch g.n(16) {
	case 0, 1, 2:
		return g.str(d-1) + g.sp() + ".." + g.sp() + g.str(d-1)
	case 3, 4:
		return g.str(d-1) + g.sp() + ".. " + g.num(d-1)
	case 5:
		return g.paren(g.num(d-1)) + g.sp() + ".. " + g.str(d-1)
	case 6:
		return "tostring(" + g.scalar(d-1) + ")"
	case 7:
		return "type(" + g.any(d-1) + ")"
	case 8:
		return fmt.Sprintf("table.concat(%s,%s)", g.array(d-1), g.one("','", "''", "1", "' - '"))
	case 9:
		return "(" + g.cond(d-1) + " and " + g.str(d-1) + g.sp() + "or " + g.str(d-1) + ")"
	case 10:
		return g.paren(g.function(tStr, d-1)) + "(" + g.list(g.n(3), d-1) + ")"
	case 11:
		return g.encoded(d - 1)
	}
	return g.strCall(d - 1)
}

func (g *generator) cond(d int) string {
	if d <= 0 {
		if v, ok := g.of(tBool); ok && g.n(2) > 0 {
			return v
		}
		return g.one("true", "false", "nil", "1", "''", "not nil", "not 0")
	}
	switch g.n(12) {
	case 0, 1:
		return g.num(d-1) + g.sp() + g.one("<", "<=", ">", ">=", "==", "~=") + g.sp() + g.num(d-1)
	case 2:
		return g.str(d-1) + g.sp() + g.one("<", "<=", ">", ">=", "==", "~=") + g.sp() + g.str(d-1)
	case 3:
		return g.any(d-1) + g.sp() + g.one("==", "~=") + g.sp() + g.any(d-1)
	case 4:
		return "not " + g.cond(d-1)
	case 5:
		return g.paren(g.cond(d-1) + g.sp() + g.one("and", "or") + g.sp() + g.cond(d-1))
	case 6:
		return g.cond(d-1) + g.sp() + g.one("and", "or") + g.sp() + g.cond(d-1)
	case 7:
		return "rawequal(" + g.any(d-1) + "," + g.any(d-1) + ")"
	case 8:
		return "next(" + g.tab(d-1) + ") == nil"
	case 9:
		return g.any(d - 1)
	case 10:
		return "type(" + g.any(d-1) + ") == " + g.one("'number'", "'string'", "'table'", "'nil'")
	}
	return g.one("true", "false", "nil")
}

// scalar is a number, string, boolean or nil.
func (g *generator) scalar(d int) string {
	switch g.n(8) {
	case 0, 1, 2:
		return g.num(d)
	case 3, 4, 5:
		return g.str(d)
	case 6:
		return g.paren("not " + g.cond(d-1))
	}
	return g.one("nil", "true", "false")
}

// any is an expression of any type.
func (g *generator) any(d int) string {
	switch g.n(14) {
	case 0, 1:
		return g.num(d)
	case 2, 3:
		return g.str(d)
	case 4:
		return g.tab(d)
	case 5, 6:
		if v, ok := g.of(tAny); ok {
			return v
		}
	case 7, 8:
		if s, ok := g.call(d); ok {
			return s
		}
	case 9:
		if v, ok := g.of(tTab); ok {
			return v + g.index(d)
		}
	case 10:
		if d > 0 {
			return g.paren(g.any(d-1) + g.sp() + g.one("and", "or") + g.sp() + g.any(d-1))
		}
	case 11:
		if g.vararg && g.chance(2) {
			return g.one("(...)", "...", "(select('#',...))", "select(-1,1,...)")
		}
		if g.thread {
			return "coroutine.yield(" + g.list(g.n(3), d-1) + ")"
		}
	case 12:
		if d > 0 && g.chance(3) {
			return g.function(tAny, d-1)
		}
		if v, ok := g.of(tObj); ok {
			return v
		}
	}
	return g.scalar(d)
}

// key is an expression that may be a key of a table which is walked.
func (g *generator) key(d int) string {
	switch g.n(8) {
	case 0, 1, 2:
		return g.small()
	case 3:
		return g.one("'a'", "'b'", "'c'", "'x'", "'key'", "'n'", "'name'", "'10'")
	case 4:
		return g.one("true", "false", "0.5", "-1", "100", "2^40", "1e300", "-0.25")
	}
	return g.helper("K") + "(" + g.scalar(d) + " or 1)"
}

// index is what stands behind a table.
func (g *generator) index(d int) string {
	if g.chance(2) {
		return g.one(".a", ".b", ".x", ".n", ".name", ".key")
	}
	return "[" + g.key(d-1) + "]"
}

// call calls a function that is in a variable.
func (g *generator) call(d int) (string, bool) {
	v, ok := g.of(tFun)
	if !ok {
		return "", false
	}
	if g.chance(12) {
		return v + g.one("''", "{}", "{1,2}", "'x'", "[[y]]"), true
	}
	return v + "(" + g.list(g.n(4), d-1) + ")", true
}

// list is n expressions with commas between.
func (g *generator) list(n, d int) string {
	es := make([]string, n)
	for i := range es {
		es[i] = g.any(d)
	}
	return strings.Join(es, ","+strings.TrimPrefix(g.sp(), " "))
}

// tab is an expression that gives a table.
func (g *generator) tab(d int) string {
	if v, ok := g.of(tTab); ok && (d <= 0 || g.chance(3)) {
		return v
	}
	if d <= 0 {
		return g.one("{}", "{1,2,3}", "{a=1}", "{1,nil,3}", "{'x','y'}", "{10,20,n=2}")
	}
	switch g.n(10) {
	case 0:
		return g.helper("P") + "(" + g.tab(d-1) + ")" + " and " + g.array(d-1)
	case 1:
		return g.paren(g.function(tTab, d-1)) + "(" + g.list(g.n(3), d-1) + ")"
	case 2:
		return g.decoded(d - 1)
	case 3:
		return "{" + g.one("string.find", "string.match") + "(" + g.str(d-1) + "," + g.pattern() + ")}"
	}
	return g.constructor(d)
}

// constructor is a table constructor of any shape.
func (g *generator) constructor(d int) string {
	var fields []string
	n := g.n(6)
	if g.chance(8) {
		n = 6 + g.n(30)
		d = 1
	}
	shape := g.n(4)
	for range n {
		fields = append(fields, g.field(shape, d-1))
	}
	if g.chance(5) {
		last := g.list(1, d-1)
		if g.vararg {
			last = "..."
		}
		fields = append(fields, last)
	}
	s := "{" + strings.Join(fields, g.one(",", ",", ";")+strings.TrimPrefix(g.sp(), " "))
	if n > 0 && g.chance(6) {
		s += g.one(",", ";")
	}
	return s + "}"
}

func (g *generator) field(shape, d int) string {
	kind := shape
	if shape == 3 {
		kind = g.n(3)
	}
	v := g.value(func() string { return g.scalar(d) })
	if g.chance(6) {
		v = g.value(func() string { return g.any(d) })
	}
	switch kind {
	case 1:
		return g.one("a", "b", "c", "x", "y", "n", "key", "name", "id", "value", "count", "user", "z9", "_1") + "=" + v
	case 2:
		return "[" + g.key(d) + "]=" + v
	}
	return v
}

// array is a table of strings and numbers without holes.
func (g *generator) array(d int) string {
	es := make([]string, g.n(6))
	for i := range es {
		es[i] = g.num(d - 1)
		if g.chance(2) {
			es[i] = g.str(d - 1)
		}
	}
	return "{" + strings.Join(es, ",") + "}"
}
