package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"testing"

	"github.com/stretchr/testify/require"
)

// sourceOf checks a file without imports.
func sourceOf(t *testing.T, text string) *source {
	t.Helper()
	fset := token.NewFileSet()
	s, err := parse(fset, "p/a.go", []byte(text))
	require.NoError(t, err)
	s.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	s.pkg, err = (&types.Config{}).Check("p", fset, []*ast.File{s.file}, s.info)
	require.NoError(t, err)
	return s
}

func TestPlaces(t *testing.T) {
	const types = "type list []int\ntype flag bool\ntype table map[int]string\n"
	for name, c := range map[string]struct {
		body string
		want []string // kind: the mutant's line
	}{
		"a comparison":        {"func f(a, b int) bool { return a < b }", []string{"< to <=: func f(a, b int) bool { return a <= b }"}},
		"a named truth value": {"func f(a, b int) flag { return a < b }", nil},
		"an operation":        {"func f(a, b int) int { return a + b }", []string{"+ to -: func f(a, b int) int { return a - b }"}},
		"texts":               {"func f(a, b string) string {\na += b\nreturn a + b }", nil},
		"a type parameter":    {"func f[T int](a, b T) T { return a + b }", nil},
		"a product":           {"func f(a, b int) int { return a * b }", []string{"* to +: func f(a, b int) int { return a + b }"}},
		"a product of fractions": {"func f(a, b float64) float64 { return a * b }",
			[]string{"* to /: func f(a, b float64) float64 { return a / b }"}},
		"a number":                {"func f() int { return 41 }", []string{"n to n+1: func f() int { return 42 }"}},
		"a number in hexadecimal": {"func f(p *byte) { *p = 0xe }", []string{"n to n+1: func f(p *byte) { *p = 15 }"}},
		"a product with a number": {"func f(a int) int { return a * 2 }", []string{"* to /: func f(a int) int { return a / 2 }",
			"n to n+1: func f(a int) int { return a * 3 }"}},
		"a truth value": {"func f() bool { return true }", []string{"true to false: func f() bool { return false }"}},
		"not":           {"func f(a bool) bool { return !a }", []string{"remove !: func f(a bool) bool { return a }"}},
		"constants":     {"const c = 1 + 2\nfunc f() int { const d = 3; return c + 4 - d }", nil},
		"types":         {"var a [3]int\ntype s struct{ f [2]int `x:\"1\"` }", nil},
		"labels of a switch": {"func f(a int) {\nswitch {\ncase a < 4: }\nswitch a {\ncase 1, 2:\n} }",
			[]string{"< to <=: case a <= 4: }", "n to n+1: case a < 5: }"}},
		"keys": {"var a = list{3: 4}\nvar b = table{5: \"\"}",
			[]string{"n to n+1: var a = list{3: 5}", "n to n+1: var b = table{6: \"\"}"}},
		"reserved memory": {"func f(a int) []int { return make([]int, a-1, a-2) }",
			[]string{"- to +: func f(a int) []int { return make([]int, a+1, a-2) }",
				"n to n+1: func f(a int) []int { return make([]int, a-2, a-2) }"}},
		"loops": {"func f(a int) {\nfor ; ; a++ {\nif a == a {\nbreak }\nswitch {\ncase true:\nbreak }\n} }",
			[]string{"++ to --: for ; ; a-- {", "== to !=: if a != a {", "break to continue: continue }"}},
		"a break in a function in a loop": {"func f() {\nfor { func() {\nselect {\ndefault: break } }() }\n}", nil},
		"a directive":                     {"//go:nosplit\nfunc f(a, b int) bool { return a < b }", nil},
		"a comment":                       {"func f(a int) {\na++ // one more\n}", []string{"++ to --: a--"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, p := range findPlaces(sourceOf(t, "package p\n"+types+c.body+"\n")) {
				got = append(got, p.kind+": "+p.mutated)
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestIdentitiesCountAlikePlaces(t *testing.T) {
	s := sourceOf(t, `package p
type T struct{ n int }
func (t *T) f(a, b int) {
	t.n += a
	if a < b { t.n += b }
	t.n  += a // again
}
var v = func(a int) bool { return a < a }
`)
	var got []string
	for _, p := range findPlaces(s) {
		got = append(got, fmt.Sprintf("%d %s %d: %s", p.line, p.function, p.ordinal, p.text))
		again, err := parseIdentity(p.identity.String())
		require.NoError(t, err)
		require.Equal(t, p.identity, again)
	}
	require.Equal(t, []string{
		"4 (*T).f 1: t.n += a",
		"5 (*T).f 1: if a < b { t.n += b }",
		"5 (*T).f 1: if a < b { t.n += b }",
		"6 (*T).f 2: t.n += a",
		"8 var v 1: var v = func(a int) bool { return a < a }",
	}, got)
}
