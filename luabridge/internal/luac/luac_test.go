package luac_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
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

// TestInstructions compares what the texts of testdata and of the repository's scripts are compiled
// to with what Redis's Lua makes of them.
func TestInstructions(t *testing.T) {
	o := startOracle(t)
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
		theirs := o.listing(t, src)
		require.NotEmpty(t, theirs, file)
		require.Equal(t, theirs, compiled(t, src), file)
	}
}

// TestLargeFunctions is about what does not fit into an instruction.
func TestLargeFunctions(t *testing.T) {
	o := startOracle(t)
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
		theirs := o.listing(t, src)
		require.NotEmpty(t, theirs, name)
		require.Equal(t, theirs, compiled(t, src), name)
	}
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
