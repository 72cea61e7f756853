package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func rewriteAll(s *source, take func(*place) bool) (string, []*mutant) {
	c := &choice{used: map[string][]*mutant{}}
	for _, p := range findPlaces(s) {
		if take(p) && !c.overlaps(p) {
			c.take(p)
		}
	}
	at := s.fset.Position(s.file.Name.End()).Offset
	return string(rewrite(s.text, at, "m/x", c.mutants)), c.mutants
}

func TestRewrite(t *testing.T) {
	for name, c := range map[string]struct{ before, after string }{
		"a condition": {"func f(a, b int) bool { return a < b }", "return (xmutant.On(1) && (a <= b) || !xmutant.On(1) && (a < b)) }"},
		"a close operator": {"func f(a, b, c bool) bool { return a || b || c }",
			"(xmutant.On(1) && ((a || b) && c) || !xmutant.On(1) && (a || b || c))"},
		"a value": {"func f(a uint8) uint8 { return a - a }",
			"return func() uint8 { if xmutant.On(1) { return a + a }; return a - a }() }"},
		"a statement":   {"func f(a int) { a++ }", "{ if xmutant.On(1) { a-- } else { a++ } }"},
		"a loop":        {"func f(a int) { for ; ; a++ { } }", "for ; ; func() { if xmutant.On(1) { a-- } else { a++ } }() {"},
		"a truth value": {"func f() bool { return true }", "return (xmutant.On(1) && (false) || !xmutant.On(1) && (true))"},
		"two lines": {"func f(a, b bool) bool { return a && // first\n\tb }",
			"(a || // first\n\tb) || !xmutant.On(1) && (a && // first\n\tb))"},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := rewriteAll(sourceOf(t, "package p\n"+c.before), func(*place) bool { return true })
			require.True(t, strings.HasPrefix(got, "package p; import xmutant \"m/x\"\n"), got)
			require.Contains(t, got, c.after)
		})
	}
}

func TestACompileErrorNamesItsMutant(t *testing.T) {
	s := sourceOf(t, "package p\n\nfunc f(a, b, c int) bool {\n\tg(a < b &&\n\t\tb < c)\n\treturn a > b\n}\nfunc g(bool) {}\n")
	text, mutants := rewriteAll(s, func(p *place) bool { return p.kind != "< to <=" })
	require.Len(t, mutants, 2)
	c := &choice{used: map[string][]*mutant{"p/a.go": mutants}}
	for line, code := range strings.Split(text, "\n") {
		m, err := c.at("p/a.go", line+1)
		if id := strings.Index(code, "On("); id < 0 && !strings.Contains(code, "b < c") {
			require.Error(t, err)
		} else {
			require.NoError(t, err, code)
			require.True(t, id < 0 || strings.HasPrefix(code[id+3:], strconv.Itoa(m.id)))
		}
	}
}

// TestRewrittenProgram runs a program with each of its mutants.
func TestRewrittenProgram(t *testing.T) {
	const program = `package main

func calls(n *int) int { *n++; return *n }

func main() {
	n, sum := 0, 0
	for i := 0; i < 3; i++ {
		sum += i << 1
		if calls(&n) > 9 || i == 3 {
			break
		}
	}
	println(sum, n, sum&4 == 4 && !(n != 3))
}
`
	s := sourceOf(t, program)
	text, mutants := rewriteAll(s, func(p *place) bool { return p.kind != "++ to --" })
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	write("go.mod", "module m\n\ngo 1.26\n")
	write("main.go", text)
	write("x/x.go", string(switchSource))
	build := exec.Command("go", "build", "-o", "program", ".")
	build.Dir = dir
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s\n%s", out, text)
	reached := filepath.Join(dir, "reached")
	run := func(id int) string {
		cmd := exec.Command(filepath.Join(dir, "program"))
		cmd.Env = append(os.Environ(), "REDMOON_MUTANT="+strconv.Itoa(id), "REDMOON_MUTANT_REACH="+reached)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err)
		return strings.TrimSpace(string(out))
	}
	require.Equal(t, "6 3 true", run(0))
	ids, err := readReach(reached)
	require.NoError(t, err)
	require.Len(t, ids, len(mutants)-1) // break is not reached
	results := map[string]string{}
	for _, m := range mutants {
		results[m.kind+" "+m.text] = run(m.id)
	}
	require.Equal(t, map[string]string{
		"n to n+1 n, sum := 0, 0":                           results["n to n+1 n, sum := 0, 0"], // two
		"n to n+1 for i := 0; i < 3; i++ {":                 "6 2 false",
		"< to <= for i := 0; i < 3; i++ {":                  "12 4 false",
		"+= to -= sum += i << 1":                            "-6 3 false",
		"|| to && if calls(&n) > 9 || i == 3 {":             "6 3 true",
		"break to continue break":                           "6 3 true",
		"&& to || println(sum, n, sum&4 == 4 && !(n != 3))": "6 3 true",
	}, results)
}
