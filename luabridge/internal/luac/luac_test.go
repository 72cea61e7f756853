package luac_test

import (
	"crypto/sha1"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/difftest/luagen"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
	"github.com/redmoon-lua/redmoon/luabridge/internal/luac"
)

// oracle dumps what Redis's Lua compiles.
type oracle struct{ *redistest.Server }

func startOracle(t *testing.T) oracle {
	redistest.Need(t)
	s, err := redistest.Start()
	require.NoError(t, err)
	t.Cleanup(s.Stop)
	return oracle{s}
}

// listing is what Redis's Lua makes of a text; "" if it is not a program.
func (o oracle) listing(t *testing.T, src string) string {
	v, err := o.Do("EVAL", "local f = loadstring(ARGV[1], '@user_script') return f and string.dump(f)", "0", src)
	require.NoError(t, err)
	if v.IsNil() {
		return ""
	}
	require.False(t, v.IsError(), v.Text())
	d := dump{[]byte(v.Text())[12:]}
	var w strings.Builder
	d.listing(&w)
	require.Empty(t, d.rest)
	return w.String()
}

// dump is what string.dump gives for a text in Redis; "" if it is not a program.
func (o oracle) dump(t *testing.T, src string) string {
	v, err := o.Do("EVAL", "local f = loadstring(ARGV[1], '@user_script') return f and string.dump(f)", "0", src)
	require.NoError(t, err)
	require.False(t, v.IsError(), v.Text())
	return v.Text()
}

// TestRandomDumps compares dumps of random programs, byte by byte.
func TestRandomDumps(t *testing.T) {
	o := startOracle(t)
	seed, count := luagen.Settings(100, 300)
	rng := rand.New(rand.NewPCG(seed, 52))
	for range count {
		src := luagen.BreakLines(rng, luagen.Program(rng, 1+rng.IntN(8)))
		theirs := o.dump(t, src)
		p, err := luac.Compile(src, "user_script", luac.Options{})
		if theirs == "" {
			require.Error(t, err, src)
			continue
		}
		require.NoError(t, err, src)
		require.Equal(t, []byte(theirs), luac.Dump(p.Proto, "@user_script"), src)
	}
}

func compiled(t *testing.T, src string) string {
	p, err := luac.Compile(src, "user_script", luac.Options{})
	require.NoError(t, err)
	var w strings.Builder
	listing(p.Proto, &w)
	return w.String()
}

var record = flag.Bool("record", false, "write testdata/listings.golden, with redis-server")

const goldenPath = "testdata/listings.golden"

// goldens are the SHA1 of what Redis's Lua makes of texts, by name: what is compared on a machine
// without redis-server.
type goldens struct {
	o      *oracle // nil: there is none
	listed map[string]string
	seen   map[string]bool
}

func readGoldens(t *testing.T) *goldens {
	g := &goldens{listed: map[string]string{}, seen: map[string]bool{}}
	text, err := os.ReadFile(goldenPath)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		sum, name, found := strings.Cut(strings.TrimSpace(line), " ")
		require.True(t, found, line)
		g.listed[name] = sum
	}
	if _, err := redistest.Find(); err == nil && os.Getenv("REDMOON_ORACLE") != "off" {
		o := startOracle(t)
		g.o = &o
	} else {
		require.False(t, *record, "recording needs redis-server")
		if os.Getenv("CI") == "true" && os.Getenv("REDMOON_ORACLE") != "off" {
			t.Fatal(err)
		}
	}
	return g
}

// compare compares what a text is compiled to with what Redis's Lua makes of it.
func (g *goldens) compare(t *testing.T, name, src string) {
	t.Helper()
	g.seen[name] = true
	ours := compiled(t, src)
	sum := fmt.Sprintf("%x", sha1.Sum([]byte(ours)))
	if g.o != nil {
		theirs := g.o.listing(t, src)
		require.NotEmpty(t, theirs, name)
		require.Equal(t, theirs, ours, name)
		if *record {
			g.listed[name] = sum
		}
	}
	require.Equal(t, g.listed[name], sum, "%s: its listing is not the recorded one. If the text is new: go test . -record", name)
}

// end checks that no golden of some names is left over, or writes the goldens.
func (g *goldens) end(t *testing.T, mine func(name string) bool) {
	t.Helper()
	for name := range g.listed {
		if mine(name) && !g.seen[name] {
			require.True(t, *record, "%s is gone", name)
			delete(g.listed, name)
		}
	}
	if *record {
		var b strings.Builder
		for _, name := range slices.Sorted(maps.Keys(g.listed)) {
			fmt.Fprintf(&b, "%s %s\n", g.listed[name], name)
		}
		require.NoError(t, os.WriteFile(goldenPath, []byte(b.String()), 0o644))
	}
}

// isFile reports whether the golden is that of a file, not of TestLargeFunctions.
func isFile(name string) bool { return strings.HasSuffix(name, ".lua") }

// TestInstructions compares what the texts of testdata and of the repository's scripts are compiled
// to with what Redis's Lua makes of them.
func TestInstructions(t *testing.T) {
	g := readGoldens(t)
	var files []string
	for _, pattern := range []string{"testdata/*.lua", "../../../scripts/*/*.lua", "../../../internal/testing/difftest/testdata/lines/*.lua"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		files = append(files, found...)
	}
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		src := string(text)
		if strings.HasPrefix(src, "#!") {
			src = src[strings.IndexByte(src, '\n'):]
		}
		g.compare(t, filepath.ToSlash(file), src)
	}
	g.end(t, isFile)
}

// TestLargeFunctions is about what does not fit into an instruction.
func TestLargeFunctions(t *testing.T) {
	g := readGoldens(t)
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for name, src := range map[string]string{
		"constants":            many(300, "f(%d.5)\n") + "local t = {} t.x = 'y' t[1] = nil return t.z + 7 == true, -0, 0",
		"names":                many(300, "x%d()\n") + "g.h:i(nil, 'j', not k, 4 + l .. 5)",
		"constructor":          "return {" + many(120, "%d,\n") + "f()}",
		"constructor with key": "return {" + many(60, "a%[1]d = %[1]d; %[1]d,\n") + "...}",
		"batches":              "return {" + many(26001, "%d,") + "f()}",
		"locals":               many(200, "local x%d = f\n") + "return x199 + x0",
		"arguments":            "return f(" + many(240, "%d,") + "...)",
		"concatenation":        "return a" + many(180, " .. b%d\n"),
		"branches":             "if a then" + many(300, " elseif a == %d then f()\n") + " end",
	} {
		g.compare(t, name, src)
	}
	g.end(t, func(name string) bool { return !isFile(name) })
}

// TestRandomInstructions compares so what random programs are compiled to, with line breaks
// anywhere. REDMOON_SEED=n chooses others, REDMOON_PROGRAMS=n how many.
func TestRandomInstructions(t *testing.T) {
	o := startOracle(t)
	seed, count := luagen.Settings(100, 300)
	rng := rand.New(rand.NewPCG(seed, 51))
	for range count {
		src := luagen.BreakLines(rng, luagen.Program(rng, 1+rng.IntN(8)))
		differ := func(src string) bool {
			theirs := o.listing(t, src)
			return theirs != "" && theirs != compiled(t, src)
		}
		if differ(src) {
			src = luagen.Shrink(src, differ)
			require.Equal(t, o.listing(t, src), compiled(t, src), src)
		}
	}
}

// TestTooLarge is about texts of which Lua makes no function either.
func TestTooLarge(t *testing.T) {
	for name, src := range map[string]string{
		"jump":      "while a do " + strings.Repeat("a = b ", 70000) + "end",
		"registers": "return f(" + strings.Repeat("a, ", 250) + "a)",
	} {
		_, err := luac.Compile(src, "user_script", luac.Options{})
		require.Error(t, err, name)
	}
}
