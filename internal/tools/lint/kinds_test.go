package lint

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/difftest/luagen"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
	"github.com/redmoon-lua/redmoon/redmoontest"
)

// typeProgram makes random programs that assign values of many types to a few variables, and call
// show with variables and expressions.
type typeProgram struct {
	rng   *rand.Rand
	lines []string
	funcs int
}

var typeVariables = []string{"a", "b", "c", "d"}

func (g *typeProgram) pick(list ...string) string { return list[g.rng.IntN(len(list))] }

func (g *typeProgram) variable() string { return g.pick(typeVariables...) }

func (g *typeProgram) value(depth int) string {
	if depth > 2 {
		return g.variable()
	}
	x, y := func() string { return g.value(depth + 1) }, func() string { return g.value(depth + 1) }
	switch g.rng.IntN(22) {
	case 0:
		return g.pick("1", "'x'", "nil", "true", "false", "{}", "'7'")
	case 1:
		return "redis.call('GET', '" + g.pick("s", "none") + "')"
	case 2:
		return "redis.call('" + g.pick("LLEN', 'l'", "EXISTS', 'none'", "TTL', 's'", "INCR', 'n'") + ")"
	case 3:
		return "redis.call('HMGET', 'h', 'f', 'none')" + g.pick("[1]", "[2]", "[3]", "")
	case 4:
		return "redis.call('LRANGE', 'l', 0, -1)" + g.pick("[1]", "[9]", "")
	case 5:
		return "redis.call('SET', 's', 'v'" + g.pick("", ", 'NX'", ", 'GET'", ", 'XX'") + ")"
	case 6:
		return "redis.call('" + g.pick("ZSCORE', 'z', 'm'", "ZRANK', 'z', 'm'", "ZRANK', 'z', 'none'", "TYPE', 's'", "LPOP', 'none'") + ")"
	case 7:
		return g.pick("ARGV[1]", "ARGV[9]", "KEYS[1]", "#ARGV")
	case 8:
		return "(" + x() + " and " + y() + ")"
	case 9:
		return "(" + x() + " or " + y() + ")"
	case 10:
		return "not " + x()
	case 11:
		return "(" + x() + " == " + y() + ")"
	case 12:
		return "tostring(" + x() + ")"
	case 13:
		return "tonumber(" + g.pick("'3'", "'x'", "ARGV[1]", g.variable()) + ")"
	case 14:
		if g.funcs > 0 {
			return fmt.Sprintf("f%d(%s)", g.rng.IntN(g.funcs), g.pick("", x(), x()+", "+y()))
		}
	case 15:
		return "(" + x() + ")"
	case 16:
		return "unpack(redis.call('HMGET', 'h', 'none', 'f'))"
	case 17:
		return "redis.pcall('" + g.pick("INCR', 'l'", "GET', 's'", "LLEN', 'l'") + ")"
	}
	return g.variable()
}

func (g *typeProgram) add(format string, args ...any) {
	g.lines = append(g.lines, fmt.Sprintf(format, args...))
}

func (g *typeProgram) statement(depth int) {
	switch g.rng.IntN(9) {
	case 0, 1:
		g.add("%s = %s", g.variable(), g.value(0))
	case 2:
		g.add("%s, %s = %s, %s", g.variable(), g.variable(), g.value(0), g.value(1))
	case 3:
		g.add("local %s, %s = %s", g.variable(), g.variable(), g.value(0))
	case 4:
		if depth < 3 {
			g.add("if %s then", g.value(1))
			g.block(depth)
			g.add("end")
		}
	case 5:
		if depth < 3 {
			g.add("for %s, %s in %s(%s) do", g.variable(), g.variable(), g.pick("ipairs", "pairs"),
				g.pick("ARGV", "KEYS", "redis.call('HMGET', 'h', 'f', 'none')", "redis.call('LRANGE', 'l', 0, -1)", "{1, 'x', true}"))
			g.block(depth)
			g.add("end")
		}
	case 6:
		if depth < 3 {
			g.add("for %s = 1, 2 do", g.variable())
			g.block(depth)
			g.add("end")
		}
	case 7:
		if depth == 0 && g.funcs < 3 {
			g.add("local function f%d(%s, %s)", g.funcs, g.variable(), g.variable()+"2")
			g.block(2)
			g.add(g.pick("return %s", "if %s then return 1 end", "return (%s)"), g.value(1))
			g.add("end")
			g.funcs++
		}
	case 8:
		g.add("show(%s)", g.value(0))
	}
}

func (g *typeProgram) block(depth int) {
	for range 1 + g.rng.IntN(4) {
		g.statement(depth + 1)
	}
	g.add("show(%s)", g.variable())
}

const typePrologue = `local shown = {}
local function show(v) shown[#shown + 1] = v == nil and 'nil' or v == true and 'true' or v == false and 'false' or type(v) end
local a, b, c, d = 1, 'x', nil, redis.call('GET', 's')
`

// The types that rules find for an expression include the type that it has when a random program
// runs. Each program shows its expressions one by one: show number i of the text is replaced by one
// that remembers i.
func TestTypesIncludeThoseOfRandomPrograms(t *testing.T) {
	l, err := New(Config{})
	require.NoError(t, err)
	e := redmoontest.New(t)
	seed, count := luagen.Settings(500, 2000)
	rng := rand.New(rand.NewPCG(seed, 9))
	compared, known := 0, 0
	for range count {
		g := &typeProgram{rng: rng}
		for range 3 + rng.IntN(8) {
			g.statement(0)
		}
		g.block(0)
		source := typePrologue + strings.Join(g.lines, "\n") + "\nreturn shown"
		tree, err := luatree.Parse(source)
		require.NoError(t, err, source)
		p := newPass(l, tree, Script{Source: source})
		e.MustDo("FLUSHALL")
		e.MustDo("MSET", "s", "text", "n", 5)
		e.MustDo("RPUSH", "l", "x", "y")
		e.MustDo("HSET", "h", "f", 1)
		e.MustDo("ZADD", "z", 1, "m")

		// The places of the calls of show, marked with their numbers.
		var shows []*luatree.Call
		marked := source
		for i := len(p.nodes) - 1; i >= 0; i-- {
			c, ok := p.nodes[i].(*luatree.Call)
			if !ok || len(c.Args) != 1 || p.tree.Text(c.Func.Span()) != "show" {
				continue
			}
			marked = marked[:c.Args[0].Span().To] + "), " + fmt.Sprint(len(shows)) + marked[c.Args[0].Span().To:]
			marked = marked[:c.Args[0].Span().From] + "(" + marked[c.Args[0].Span().From:]
			shows = append(shows, c)
		}
		marked = strings.Replace(marked, "function show(v) shown[#shown + 1] = ", "function show(v, n) shown[#shown + 1] = n .. ' ' .. ", 1)
		marked = strings.Replace(marked, "n .. ' ' .. v == nil", "n .. ' ' .. (v == nil", 1)
		marked = strings.Replace(marked, "or type(v) end", "or type(v)) end", 1)
		v, err := e.Eval(context.Background(), marked, []string{"s"}, "5", "x")
		if err != nil {
			require.NotContains(t, err.Error(), "compiling", marked)
			continue // the program failed
		}
		for _, line := range v.Strings() {
			n, kind := 0, ""
			_, err := fmt.Sscan(line, &n, &kind)
			require.NoError(t, err, line)
			k := p.kinds(shows[n].Args[0])
			actual := map[string]kinds{"nil": isNil, "true": isTrue, "false": isFalse, "string": isText, "number": isNumber,
				"table": isTable | isStatus, "function": isUnknown}[kind]
			require.NotZero(t, k&(actual|isUnknown), "%s at %d is a %s, not %b\n%s", p.quote(shows[n]), lineOf(tree, shows[n]), kind, k, source)
			if compared++; k&isUnknown == 0 {
				known++
			}
		}
	}
	t.Logf("%d values, of which %d had known types", compared, known)
	require.Greater(t, known, count/2)
}

func lineOf(t *luatree.Tree, n luatree.Node) int {
	line, _ := t.Position(n.Span().From)
	return line
}
