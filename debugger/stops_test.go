package debugger_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
)

const summing = `local sum = 0
for i = 1, 6 do
  local name = 'n' .. i
  sum = sum + i
end
return sum`

func TestBreakpoints(t *testing.T) {
	for _, c := range []struct {
		name   string
		b      debugger.Breakpoint
		want   string
		output string
	}{
		{"on a line", debugger.Breakpoint{Line: 6}, "6 breakpoint, end 21", ""},
		{"with a condition", debugger.Breakpoint{Line: 4, Condition: "i % 2 == 0 and name"},
			"4 breakpoint, 4 breakpoint, 4 breakpoint, end 21", ""},
		{"whose condition is false", debugger.Breakpoint{Line: 4, Condition: "nil"}, "end 21", ""},
		{"at a hit", debugger.Breakpoint{Line: 4, Hits: "3"}, "4 breakpoint, end 21", ""},
		{"at hits with the condition true", debugger.Breakpoint{Line: 4, Hits: "%2", Condition: "i > 2"},
			"4 breakpoint, 4 breakpoint, end 21", ""},
		{"that logs", debugger.Breakpoint{Line: 4, Log: "{name}: {sum}, {{i, i * i}} {nosuch}", Condition: "i < 3"},
			"end 21", "4: n1: 0, {1, 1} <logpoint:1: Script attempted to access nonexistent global variable 'nosuch'>"},
		{"whose condition fails", debugger.Breakpoint{Line: 6, Condition: "sum.x.y"},
			"6 breakpoint condition:1: attempt to index upvalue 'sum' (a number value), end 21", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := start(t, newEngine(t), summing, debugger.Options{Sync: true, Breakpoints: []debugger.Breakpoint{c.b}})
			require.Equal(t, c.want, joined(p.play(strings.Repeat("go;", strings.Count(c.want, ",")))))
			if c.output == "" {
				require.Empty(t, p.output)
			} else {
				require.Equal(t, c.output, p.output[0])
			}
		})
	}
}

func TestStops(t *testing.T) {
	const failing = `local a = redis.pcall('LPUSH', KEYS[1], 'x')
local ok, err = pcall(function()
  error('inner')
end)
local t = {n = 1}
t.n = t.n + 1
redis.call('SET', KEYS[2], 'v')
redis.breakpoint() a = 2
redis.call('HSET', KEYS[2], 'f', 'v')`
	for _, c := range []struct {
		name  string
		stops debugger.Stops
		want  string
	}{
		{"none but the script's own", debugger.Stops{}, "9 redis.breakpoint(), end"},
		{"all errors", debugger.Stops{Errors: debugger.ErrorsAll}, "3 error, 9 redis.breakpoint(), 9 error, end"},
		{"uncaught errors", debugger.Stops{Errors: debugger.ErrorsUncaught}, "9 redis.breakpoint(), 9 error, end"},
		{"commands", debugger.Stops{Commands: []string{"Set", "HSET", "GET"}}, "7 command set, 9 redis.breakpoint(), 9 command hset, end"},
		{"keys", debugger.Stops{Keys: []string{"l?st", "x*"}}, "1 key list, 9 redis.breakpoint(), end"},
		{"values", debugger.Stops{Values: []string{"t.n", "nosuch"}}, "7 value t.n, 9 redis.breakpoint(), end"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := start(t, newEngine(t), failing, debugger.Options{Sync: true, Stops: c.stops}, "list", "text")
			var got []string
			for _, text := range p.play(strings.Repeat("go;", strings.Count(c.want, ","))) {
				if reason, _, ok := strings.Cut(text, " error "); ok {
					text = reason + " error"
				}
				if strings.HasPrefix(text, "end ") {
					require.Contains(t, text, "WRONGTYPE")
					text = "end"
				}
				got = append(got, text)
			}
			require.Equal(t, c.want, strings.Join(got, ", "))
		})
	}
}

func TestAnErrorStopsTheScriptWhereItIsRaised(t *testing.T) {
	p := start(t, newEngine(t), `local function f(t)
  return t.x.y
end
local v = 5
return f({v = v})`, debugger.Options{Sync: true, Stops: debugger.Stops{Errors: debugger.ErrorsUncaught}})
	require.Equal(t, "2 error user_script:2: attempt to index field 'x' (a nil value)", p.next())
	require.Equal(t, "{v = 5}", p.eval("t"))
	require.Equal(t, "2 back", p.order("back"))
	require.Equal(t, "5 back", p.order("back"))
	require.Equal(t, "5", p.eval("v"))
}

func TestWatches(t *testing.T) {
	p := start(t, newEngine(t), summing, debugger.Options{Sync: true, Breakpoints: []debugger.Breakpoint{{Line: 4}}})
	one, two, three := p.s.Watch("sum"), p.s.Watch("{name, i}"), p.s.Watch("nosuch.x")
	require.Equal(t, []int{1, 2, 3}, []int{one, two, three})
	p.next()
	seen, err := p.s.Watches(0)
	require.NoError(t, err)
	require.Equal(t, []debugger.Watched{
		{ID: 1, Expression: "sum", Text: "0"},
		{ID: 2, Expression: "{name, i}", Text: `{"n1", 1}`},
		{ID: 3, Expression: "nosuch.x", Text: "watch:1: Script attempted to access nonexistent global variable 'nosuch'", Failed: true},
	}, seen)
	p.s.Unwatch(two)
	p.s.Unwatch(99)
	p.order("go")
	p.s.Unwatch(three)
	seen, err = p.s.Watches(0)
	require.NoError(t, err)
	require.Equal(t, []debugger.Watched{{ID: 1, Expression: "sum", Text: "1"}}, seen)
}

func TestFormat(t *testing.T) {
	p := start(t, newEngine(t), `local t = {1, 'two', {3}, n = 1.5, ['a b'] = true, ['end'] = 2, [10] = 'ten'}
t.self = t
local s = 'a"b\\c\nd\re\tf\0g\0001\255é'
return 0`, debugger.Options{Sync: true, Breakpoints: []debugger.Breakpoint{{Line: 4}}})
	p.next()
	for code, want := range map[string]string{
		"nil, true, 1/3, 'x'":                `nil, true, 0.33333333333333, "x"`,
		"s":                                  `"a\"b\\c\nd\re\tf\0g\0001\255é"`,
		"{}":                                 "{}",
		"{{}, {{1}}}":                        "{{}, {{1}}}",
		"{1, nil, 3}":                        "{1, [3] = 3}",
		"({x = {y = {z = 1}}, _1 = 's'})._1": `"s"`,
	} {
		require.Equal(t, want, p.eval(code), code)
	}
	require.Contains(t, p.eval("t"), "self = {…}")
	require.Contains(t, p.eval("t"), `["a b"] = true`)
	require.Contains(t, p.eval("t"), `["end"] = 2`)
	require.Contains(t, p.eval("t"), `{1, "two", {3}, `)
	require.Regexp(t, `^function: 0x[0-9a-f]+$`, p.eval("redis.call"))
}

func TestJSON(t *testing.T) {
	source := "local t = {'a', {x = 1}}\nreturn #t"
	p := start(t, newEngine(t), source, debugger.Options{Sync: true, Breakpoints: []debugger.Breakpoint{{Line: 2}}})
	p.next()
	require.NoError(t, p.s.At(func(s *engine.Stack) {
		values, err := s.Eval(0, "=e", "t, redis.call")
		require.NoError(t, err)
		text, err := debugger.JSON(values[0], "")
		require.NoError(t, err)
		require.Equal(t, `["a",{"x":1}]`, text)
		text, err = debugger.JSON(values[0], "\t")
		require.NoError(t, err)
		require.Equal(t, "[\n\t\"a\",\n\t{\n\t\t\"x\": 1\n\t}\n]", text)
		_, err = debugger.JSON(values[1], "\t")
		require.EqualError(t, err, "cannot encode function to JSON")
	}))
}

func TestTheLineOfACallAfterAnotherFunction(t *testing.T) {
	p := start(t, newEngine(t), `local function f()
  return 'k'
end
local g = loadstring('return ...')
local x = redis.call('SET', g(f()), f())
redis.log(redis.LOG_WARNING, f())
return f() + {}`, debugger.Options{Sync: true, Calls: true,
		Stops: debugger.Stops{Errors: debugger.ErrorsAll, Commands: []string{"set"}, Keys: []string{"k"}}})
	require.Equal(t, "5 command set", p.next())
	require.Equal(t, "5 key k", p.order("go"))
	require.Contains(t, p.order("go"), "7 error user_script:7:")
	require.Equal(t, []string{"5: SET k k = ?", "5: SET k k = OK", "6: k"}, p.output)
}
