package lint

import (
	"context"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/difftest/luagen"
	"github.com/redmoon-lua/redmoon/redmoontest"
)

// repair makes the safe repairs of a text until none is left.
func repair(t *testing.T, l *Linter, source string) (text string, n int) {
	for range 20 {
		var safe []Finding
		for _, f := range l.Lint(Script{Source: source}) {
			if f.Fix != nil && f.Fix.Safe {
				safe = append(safe, f)
			}
		}
		if len(safe) == 0 {
			return source, n
		}
		var made int
		source, made = Apply(source, safe)
		require.Positive(t, made)
		n += made
	}
	t.Fatal("the repairs do not end")
	return "", 0
}

var errorLine = regexp.MustCompile(`user_script:\d+|script: [0-9a-f]{40}`)

// outcome runs a script on an empty engine. It returns the reply and the keys, without numbers of
// lines.
func outcome(t *testing.T, source string) string {
	clock := engine.NewVirtualClock(time.Unix(redmoontest.Start, 0))
	e, err := engine.New(engine.Options{Clock: clock, Rand: rand.NewPCG(1, 1), ScriptSteps: 2e6, ScriptMemory: 64 << 20})
	require.NoError(t, err)
	defer e.Close()
	v, err := e.Eval(context.Background(), source, []string{"k1", "k2"}, "3", "text")
	reply := v.GoString()
	if err != nil {
		reply = err.Error()
	}
	keys, err := e.DoStrings(context.Background(), "DEBUG", "DIGEST")
	require.NoError(t, err)
	return errorLine.ReplaceAllString(reply, "") + " " + keys.Text()
}

// Safe repairs do not change what random programs do, and leave nothing to repair.
func TestSafeRepairsKeepTheBehaviour(t *testing.T) {
	l, err := New(Config{})
	require.NoError(t, err)
	seed, count := luagen.Settings(50, 150)
	rng := rand.New(rand.NewPCG(seed, 77))
	repaired := 0
	for range count {
		source := withUnusedLocals(rng, luagen.Program(rng, 1+rng.IntN(10)))
		text, n := repair(t, l, source)
		if n == 0 {
			continue
		}
		before, after := outcome(t, source), outcome(t, text)
		if strings.Contains(before, "memory") || strings.Contains(before, "steps") || strings.Contains(before, "0x") {
			continue // a limit of the script, or an address
		}
		repaired += n
		require.Equal(t, before, after, "%s\n-- becomes\n%s", source, text)
	}
	require.Greater(t, repaired, count/2)
}

// withUnusedLocals puts declarations between the lines of a program. Where they break it, the
// linter finds a syntax error and repairs nothing.
func withUnusedLocals(rng *rand.Rand, source string) string {
	values := []string{"", " = 1", " = 'x'", " = {1, a = 'b'}", " = function() return 1 end", " = KEYS[1]", " = tonumber(ARGV[1])", " = nil;",
		" = redis -- why", " = ('x')", " = {} --[[ a comment ]]", " = cjson.encode({})", " = #KEYS", " = undefined_name"}
	ends := []string{"\n", "\n", "\r\n", " ", "; ", " --[[x]] "}
	lines := strings.SplitAfter(source, "\n")
	for range 3 {
		at := rng.IntN(len(lines) + 1)
		line := "local unused" + values[rng.IntN(len(values))] + ends[rng.IntN(len(ends))]
		lines = append(lines[:at], append([]string{line}, lines[at:]...)...)
	}
	return strings.Join(lines, "")
}

func TestSafeRepairs(t *testing.T) {
	l, err := New(Config{})
	require.NoError(t, err)
	for source, want := range map[string]string{
		"local a = 1\r\nreturn 2\r\n":         "return 2\r\n",
		"#!lua\r\nlocal a = 1\r\nreturn 2":    "#!lua\r\nreturn 2",
		"#!lua\nlocal a = 1 -- why\nreturn 2": "#!lua\n -- why\nreturn 2",
		"local a = {}; return 3":              " return 3",
		"local a = 1 local b = a return 3":    "  return 3",
		"\tlocal a = 1 \t\n\n\treturn 2":      "\n\treturn 2",
	} {
		got, _ := repair(t, l, source)
		require.Equal(t, want, got)
	}
	for _, source := range []string{
		"return 1,\r\n2\r\n",
		"\xef\xbb\xbflocal a = 1\nreturn 2", // Redis does not compile it
		"local f = redis.log\nlocal a = f\n(f or 1)(2, 'x')\nreturn 1",
		"local f = redis.log\nlocal a = f --[[x]] -- y\n(f or 1)(2, 'x')\nreturn 1",
		"local a = 1; (redis.log)(2, 'x')\nreturn 1",
		"local a = {} --[[ x ]]; return 3",
		"local v = redis.call('GET', KEYS[1])\nreturn v == nil",
		"if ARGV[1] > 5 then return 1 end\nreturn 0",
		"local a = nonexistent\nreturn 1",
		"local a = #ARGV\nreturn 1",
		"local a = redis.call('INCR', KEYS[1])",
		"local a = 1\nlocal function f() a = 2 end\nreturn f",
	} {
		got, _ := repair(t, l, source)
		require.Equal(t, source, got)
	}
}
