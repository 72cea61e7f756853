package luafmt

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/difftest"
	"github.com/redmoon-lua/redmoon/internal/testing/difftest/luagen"
	"github.com/redmoon-lua/redmoon/luabridge/luatext"
)

// indents are the indentations besides the default that check tries.
var indents = []Indent{{Tab: true}, {Width: 3}}

// check formats a script and requires what Format promises, with the default indentation and with
// one of the others in turn. It reports whether the script compiles.
func check(t *testing.T, name, source string) bool {
	t.Helper()
	if err := luatext.Check(source); err != nil {
		_, formatErr := Format(source, Options{})
		require.EqualError(t, formatErr, err.Error(), name)
		return false
	}
	checkIndent(t, name, source, Indent{})
	checkIndent(t, name, source, indents[len(source)%len(indents)])
	return true
}

func checkIndent(t *testing.T, name, source string, indent Indent) {
	t.Helper()
	o := Options{Indent: indent}
	once, err := Format(source, o)
	if err != nil && strings.Contains(err.Error(), "expression has more than") {
		return
	}
	require.NoError(t, err, "%s\n%s", name, source)
	require.True(t, luatext.SameCode(source, once), name)
	require.Equal(t, comments(source), comments(once), name)
	twice, err := Format(once, o)
	require.NoError(t, err, name)
	require.Equal(t, once, twice, name)
	if strings.Contains(once, "[[") || strings.Contains(once, "[=") || strings.Contains(once, "\\\n") {
		return // lines may begin and end inside a string or a comment
	}
	for i, l := range strings.Split(once, "\n") {
		if i > 0 {
			require.Equal(t, strings.TrimRight(l, " \t"), l, "%s: spaces at the end of a line", name)
		}
		before := l[:len(l)-len(strings.TrimLeft(l, " \t"))]
		text, _ := indent.level()
		require.Equal(t, strings.Repeat(text, len(before)/len(text)), before, "%s: %q", name, l)
	}
}

// below checks all Lua files below a folder and returns how many compile.
func below(t *testing.T, root string) (n int) {
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".lua") {
			return err
		}
		b, err := os.ReadFile(path)
		if err == nil && check(t, path, string(b)) {
			n++
		}
		return err
	})
	require.NoError(t, err)
	return n
}

func TestScriptsOfTheRepository(t *testing.T) {
	require.Greater(t, below(t, filepath.Join(difftest.Root(), "scripts")), 40)
	require.Greater(t, below(t, filepath.Join(difftest.Root(), "internal", "testing")), 100)
}

// The ready scripts are in the style of the formatter.
func TestReadyScriptsAreFormatted(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(difftest.Root(), "scripts", "*", "*.lua"))
	require.NoError(t, err)
	require.Greater(t, len(files), 40)
	for _, file := range files {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		text, err := Format(string(b), Options{})
		require.NoError(t, err)
		require.Equal(t, text, string(b), "%s: redmoon fmt %s", file, file)
	}
}

func TestScriptsOfTheCaseFiles(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(difftest.Root(), "internal/testing/difftest/testdata/*/*.rdt"))
	require.NoError(t, err)
	n := 0
	for _, path := range paths {
		f, err := difftest.ParseFile(path)
		require.NoError(t, err)
		for _, step := range f.Steps {
			for _, arg := range step.Args {
				if strings.ContainsAny(arg, "=( ") && check(t, path, arg) {
					n++
				}
			}
		}
	}
	require.Greater(t, n, 3000)
}

// The test suite of Lua 5.1 comes with gopher-lua.
func TestSuiteOfLua(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/yuin/gopher-lua").Output()
	require.NoError(t, err)
	require.Greater(t, below(t, strings.TrimSpace(string(dir))), 25)
}

// Published packages that ship Lua files, where they are installed.
func TestPublishedPackages(t *testing.T) {
	for _, module := range []string{"clients/npm", "internal/testing/difftest/wild/npm"} {
		root := filepath.Join(difftest.Root(), module, "node_modules")
		if _, err := os.Stat(root); err != nil {
			t.Logf("%s is not installed", module)
			continue
		}
		require.Positive(t, below(t, root))
	}
}

func TestRandomPrograms(t *testing.T) {
	seed, programs := luagen.Settings(80, 300)
	rng := rand.New(rand.NewPCG(seed, 17))
	n := 0
	for range programs {
		source := luagen.Program(rng, 1+rng.IntN(12))
		if check(t, "program", source) {
			n++
		}
		check(t, "broken lines", luagen.BreakLines(rng, source))
		check(t, "comments", addComments(rng, source))
	}
	require.Greater(t, n, programs*9/10) // some have syntax errors on purpose
}

// addComments puts comments between the tokens of a program.
func addComments(rng *rand.Rand, source string) string {
	var b strings.Builder
	tokens := luagen.Tokens(source)
	for i, token := range tokens {
		b.WriteString(token)
		call := i+1 < len(tokens) && strings.HasPrefix(tokens[i+1], "(")
		if rng.IntN(8) > 0 || strings.HasPrefix(token, "--") {
			continue
		}
		switch n := rng.IntN(5); {
		case n == 0 || call:
			b.WriteString(" --[[a]] ")
		case n == 1:
			b.WriteString(" -- b  \n")
		case n == 2:
			b.WriteString("\n\n\n-- c\n")
		case n == 3:
			b.WriteString("\n--[==[ d\n ]==] ")
		default:
			b.WriteString(" --[[ e\n]]\n\n")
		}
	}
	return b.String()
}

func FuzzFormat(f *testing.F) {
	f.Add("local a = {1; 2, -- x\n};(f)()")
	f.Add("#!lua name=x\r\nreturn - -a[ [[b]] ]\r\n")
	f.Add("if a --c\n then return function() return 1; end else--[[\n]] x() end")
	f.Fuzz(func(t *testing.T, source string) { check(t, "fuzz", source) })
}
