package lint

import (
	"fmt"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/stretchr/testify/require"
)

// Texts that would make a careless linter recurse, loop or allocate without end.
func TestHostileTexts(t *testing.T) {
	tier.Landing(t)
	chain := func(n int, first, next string) string {
		var b strings.Builder
		b.WriteString(first)
		for range n {
			b.WriteString(next)
		}
		return b.String()
	}
	l, err := New(Config{})
	require.NoError(t, err)
	for name, source := range map[string]string{
		"nested parentheses":    "return " + strings.Repeat("(", 190) + "1" + strings.Repeat(")", 190),
		"too deep":              "return " + strings.Repeat("(", 100000),
		"nested functions":      strings.Repeat("return function() ", 190) + strings.Repeat(" end", 190),
		"ten megabytes":         strings.Repeat("f() ", 10<<20/4),
		"two megabytes":         strings.Repeat("f() ", MaxText/4-1),
		"a long line of names":  chain(100000, "local a = 1 ", "a = a .. a "),
		"texts that double":     chain(150, "local a = 'x' ", "local a = a .. a ") + "return redis.call('GET', a)",
		"empty texts that join": chain(150, "local a = '' ", "local a = a .. a ") + "return redis.call('GET', a)",
		"choices that double":   chain(150, "local a = KEYS[1] ", "local a = a or a ") + "return redis.call('GET', a) == a",
		"fields that double":    chain(150, "local a = KEYS ", "local a = a[a] ") + "return redis.call('GET', a)",
		"functions in a ring":   "local f local function g(x) return f(x) end f = function(x) return g(x) end return redis.call('GET', g(1))",
		"recursion":             "local function g(x) return g(g(x)) end return redis.call('GET', g(KEYS[1]))",
		"many comparisons":      "local a = redis.call('GET', KEYS[1]) " + strings.Repeat("f(a == nil or a == false) ", 50000),
		"many uses":             "local a = KEYS[1] " + strings.Repeat("redis.call('GET', a) ", 80000),
		"many locks":            strings.Repeat("redis.call('SETNX', KEYS[1], ARGV[1]) ", 40000),
		"many loops":            "local t = {} " + strings.Repeat("for k in pairs(t) do t[#t+1] = unpack(t) end ", 30000),
		"a large argument":      "local t = {" + strings.Repeat("1,", 100000) + "} " + strings.Repeat("redis.call('SET', KEYS[1], t) ", 20000),
		"many options":          "return redis.call('ZADD', " + chain(150, "KEYS[1]", ", ARGV[1]") + ")",
		"many unknown options":  "return redis.call('BITFIELD', " + chain(230, "KEYS[1]", ", ARGV[1]") + ")",
		"invalid UTF-8":         "local \xff = 1",
		"bytes in a string":     "return redis.call('GET', '\xff\xfe\x00')",
		"a first line only":     "#!lua",
		"a NUL":                 "return 1\x00",
		"many comments":         strings.Repeat("-- redmoon:disable nope\n", 20000),
		"many disabled lines":   strings.Repeat("local x = 1 -- redmoon:disable\n", 190),
		"one long comment":      "--[[" + strings.Repeat("x", 1<<20) + "]]",
		"many numbers":          strings.Repeat("x = tonumber(redis.call('GET', KEYS[1])) + 1 ", 40000),
		"variables in a ring":   "local a, b, c = 1, 2, 3 " + strings.Repeat("a = b b = c c = a ", 60000) + "return a < ARGV[1]",
		"variables that grow":   chain(190, "local v0 = ARGV[1] ", "local v0 = v0 v0 = v0 or v0 ") + "return v0 < ARGV[1]",
		"parameters in a ring":  "local f, g f = function(a, b) return g(b, a) end g = function(a, b) return f(b, a) end return f(1, 2) < x",
		"functions in a chain":  functionChain(150),
		"many loops over zero":  strings.Repeat("for i = 0, #KEYS do x = KEYS[i] end ", 40000),
		"many unpacked ranges":  "local t = redis.call('HKEYS', x) " + strings.Repeat("for i = 1, #t do t[#t + 1] = i end f(unpack(t)) ", 30000),
		"many directives":       strings.Repeat("--redmoon:disable unused-local\n", 60000),
		"a directive of words":  "-- redmoon:disable " + strings.Repeat("a ", 500000),
		"a long word":           "-- redmoon:disable " + strings.Repeat("a", 1<<20),
		"many words for Redis":  "return redis.call('DEL'" + strings.Repeat(", KEYS[1] .. 'x'", 20000) + ")",
		"tables in tables":      "return " + strings.Repeat("{", 190) + strings.Repeat("}", 190),
		"a long header":         "-- KEYS[99999999999999999999]: x\nreturn KEYS[3]",
	} {
		t.Run(name, func(t *testing.T) {
			found := l.Lint(Script{Source: source})
			require.LessOrEqual(t, len(found), MaxFindings)
			for _, f := range found {
				require.LessOrEqual(t, f.Range.To, len(source))
				require.LessOrEqual(t, f.Range.From, f.Range.To)
				require.Positive(t, f.Line)
				require.NotEmpty(t, f.Message)
				require.Less(t, len(f.Message), 600)
			}
		})
	}
}

// functionChain returns a text whose functions call each other in a chain, each with its parameter.
func functionChain(n int) string {
	var b strings.Builder
	b.WriteString("local function f0(x) return x end ")
	for i := range n {
		fmt.Fprintf(&b, "local function f%d(x) return f%d(x) or f%d(f%d(x)) end ", i+1, i, i, i)
	}
	fmt.Fprintf(&b, "return f%d(ARGV[1]) < ARGV[2]", n)
	return b.String()
}

func FuzzFindingsAreWithinTheText(f *testing.F) {
	for _, r := range Rules() {
		f.Add(r.Bad.Script)
		f.Add(r.Good.Script)
	}
	l, err := New(Config{})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, source string) {
		for _, found := range l.LintFolder([]Script{{Source: source}, {Source: source}}) {
			for _, x := range found {
				require.LessOrEqual(t, x.Range.From, x.Range.To)
				require.LessOrEqual(t, x.Range.To, len(source))
			}
			text, _ := Apply(source, found)
			require.LessOrEqual(t, len(text), 20*len(source))
		}
	})
}

func BenchmarkThousandLines(b *testing.B) {
	var source strings.Builder
	for source.Len() == 0 || strings.Count(source.String(), "\n") < 1000 {
		source.WriteString("do\n  local key, n = KEYS[1], tonumber(ARGV[1])\n  local v = redis.call('HGET', key, ARGV[2])\n" +
			"  if v and tonumber(v) >= n then\n    redis.call('HINCRBY', key, ARGV[2], -n)\n" +
			"    redis.call('EXPIRE', key .. ':x', 10)\n  end\nend\n")
	}
	l, err := New(Config{})
	require.NoError(b, err)
	for b.Loop() {
		if len(l.Lint(Script{Source: source.String()})) == 0 {
			b.Fatal("no findings")
		}
	}
}
