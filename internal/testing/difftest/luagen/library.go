package luagen

import (
	"fmt"
	"strings"
)

var patterns = []string{`'a'`, `'%a+'`, `'%d'`, `'(%w)(%w)'`, `'^%s*(.-)%s*$'`, `'.'`, `'[^,]*'`, `'()b'`, `'%b()'`, `'x*'`, `'%f[%w]%w+'`,
	`'[a-c]+'`, `'(.)%1'`,
	`'%.'`, `'l+'`, `'^h'`, `'o$'`, `'[]]'`, `'[%a_][%w_]*'`, `'%x%x'`, `'(a)(b)?'`, `'-'`, `'a-b'`, `'.-'`, `'%z'`, `'%c'`, `'%u'`, `'()'`,
	`'((%a)(%d?))'`, `'$'`, `'^$'`,
	`'['`, `'%'`, `'(a'`, `'a)'`, `'%1'`, `'[a'`, `'%b'`, `'[^%s]+'`, `'%f'`, `'[a-]'`, `'[%a-z]'`}

func (g *generator) pattern() string {
	if g.n(5) > 0 {
		return patterns[g.n(31)] // the sound ones
	}
	return patterns[g.n(len(patterns))]
}

// strCall is a call of the string library that gives a string.
func (g *generator) strCall(d int) string {
	switch g.n(14) {
	case 0:
		return g.format(d)
	case 1:
		return fmt.Sprintf("string.rep(%s,%s)", g.str(d), g.small())
	case 2:
		return fmt.Sprintf("string.sub(%s,%s,%s)", g.str(d), g.small(), g.small())
	case 3:
		return fmt.Sprintf("string.%s(%s)", g.one("upper", "lower", "reverse"), g.str(d))
	case 4:
		return fmt.Sprintf("(%s):%s()", g.str(d), g.one("upper", "lower", "reverse"))
	case 5:
		return fmt.Sprintf("(%s):sub(%s)", g.str(d), g.small())
	case 6:
		return "string.char(" + g.one("", "65", "0,255", "97,98,99", "'72'", "65.7") + ")"
	case 7:
		return fmt.Sprintf("(string.gsub(%s,%s,%s))", g.str(d), g.pattern(), g.replacement(d))
	case 8:
		return fmt.Sprintf("((%s):gsub(%s,%s,%s))", g.str(d), g.pattern(), g.replacement(d), g.small())
	case 9:
		return fmt.Sprintf("(string.match(%s,%s) or %s)", g.str(d), g.pattern(), g.str(d))
	case 10:
		return fmt.Sprintf("(%s):rep(%s)", g.str(d), g.small())
	case 11:
		return "string.lower(" + g.num(d) + ")"
	case 12:
		return "redis.sha1hex(" + g.str(d) + ")"
	}
	return fmt.Sprintf("tostring((%s):find(%s,%s,%s))", g.str(d), g.pattern(), g.small(), g.one("true", "false", "nil"))
}

func (g *generator) replacement(d int) string {
	switch g.n(6) {
	case 0:
		return "{a='A',b=1,x=true,h=false,['1']='one'}"
	case 1:
		return g.function(tStr, d-1)
	case 2:
		return g.function(tAny, d-1)
	case 3:
		return g.num(0)
	}
	return g.one("'<%0>'", "'%1'", "'%%'", "''", "'-'", "'%2%1'", "'x'", "'%9'", "'%'", "'[%1]'")
}

func (g *generator) format(d int) string {
	var f strings.Builder
	var args []string
	for range 1 + g.n(3) {
		f.WriteString(g.one("", "", "a", " ", "%%", "x="))
		flags := g.one("", "", "", "-", "0", "+", " ", "#") + g.one("", "", "5", "10", "1")
		precision := g.one("", "", "", ".0", ".1", ".3", ".14", ".")
		switch g.n(8) {
		case 0, 1:
			f.WriteString("%" + flags + precision + g.one("d", "i", "u", "x", "X", "o"))
			args = append(args, g.one("0", "1", "-1", "255", "3.7", "-2.5", "'12'", "2^31", "2^40", "1e15", g.num(d-1)))
		case 2, 3:
			f.WriteString("%" + flags + precision + g.one("e", "E", "f", "g", "G"))
			args = append(args, g.num(d-1))
		case 4:
			f.WriteString("%" + flags + precision + "s")
			args = append(args, g.str(d-1))
		case 5:
			f.WriteString("%q")
			args = append(args, g.str(d-1))
		case 6:
			f.WriteString("%c")
			args = append(args, g.one("65", "0", "10", "200", "'66'"))
		default:
			f.WriteString("%" + flags + "s")
			args = append(args, g.scalar(d-1))
		}
	}
	if g.chance(15) {
		f.WriteString(g.one("%", "%z", "%5", "%123d", "%s", "%d", "%.123f", "%--5d", "%#####d"))
	}
	if len(args) > 0 && g.chance(20) {
		args = args[:len(args)-1]
	}
	return "string.format(" + strings.Join(append([]string{"'" + f.String() + "'"}, args...), ",") + ")"
}

// encoded is a string made by one of the packers.
func (g *generator) encoded(d int) string {
	v := g.helper("P") + "(" + g.any(d) + ")"
	switch g.n(6) {
	case 0, 1, 2:
		return "cjson.encode(" + v + ")"
	case 3:
		return "cmsgpack.pack(" + v + ")"
	case 4:
		return fmt.Sprintf("struct.pack('%s',%s,%s)", g.one("bb", ">hH", "<iI", "Bi4", "!4bi", "fd", ">d<h", "bx", "i3b"), g.num(0), g.num(0))
	}
	return "cmsgpack.pack(" + v + "," + g.scalar(d) + ")"
}

var documents = []string{`{}`, `[]`, `[1,2,3]`, `{"a":1,"b":[true,null]}`, `[null,1]`, `{"1":1,"x":{"y":"z"}}`, `[1e3,-0.5,0.1]`,
	`["\\u00e9\\n"]`, ` [ ] `,
	`[1,2`, `{"a"}`, `{a:1}`, `[01]`, `[nan]`, `tru`, `"s"`, `[[[[1]]]]`, `{"id":7,"name":"n","tags":["a","b"],"n":null}`, `[1] x`, `"\\q"`,
	`[1,]`, `{"k":1,"k":2}`}

// decoded is a table made by one of the unpackers.
func (g *generator) decoded(d int) string {
	switch g.n(5) {
	case 0, 1:
		return "cjson.decode('" + documents[g.n(len(documents))] + "')"
	case 2:
		return "cjson.decode(cjson.encode(" + g.helper("P") + "(" + g.tab(d) + ")))"
	case 3:
		return "cmsgpack.unpack(cmsgpack.pack(" + g.helper("P") + "(" + g.tab(d) + ")))"
	}
	return fmt.Sprintf("{struct.unpack('%s',%s)}", g.one("b", ">h", "<i", "B", "bb", "s", "c2", ">I2"), g.one("'abcd'", "'\\255\\1\\2\\3xyz'",
		"'hello\\0'", "''", g.str(d)))
}
