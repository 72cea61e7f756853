package luatree_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/luabridge/internal/luac"
	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

func parse(t *testing.T, source string) *luatree.Tree {
	tree, err := luatree.Parse(source)
	require.NoError(t, err)
	return tree
}

// texts returns the source of every node, in the order of Walk.
func texts(tree *luatree.Tree) []string {
	var list []string
	luatree.Walk(tree.Main.Body, func(n luatree.Node) bool {
		list = append(list, tree.Text(n.Span()))
		return true
	})
	return list
}

func TestRangesAreExact(t *testing.T) {
	for source, want := range map[string][]string{
		"local a = (1 + b.c) -- x":   {"(1 + b.c)", "1 + b.c", "1", "b.c", "b", "c"},
		"f 'x' ; g{1, k = 2}":        {"f 'x'", "f 'x'", "f", "'x'", "g{1, k = 2}", "g{1, k = 2}", "g", "{1, k = 2}", "1", "k", "2"},
		"return s:m(...)":            {"return s:m(...)", "s:m(...)", "s", "m", "..."},
		"return not - #x":            {"return not - #x", "not - #x", "- #x", "#x", "x"},
		"a[1], b = 2 ^ 3":            {"a[1], b = 2 ^ 3", "a[1]", "a", "1", "b", "2 ^ 3", "2", "3"},
		"function a.b:c() end":       {"function a.b:c() end", "a.b:c", "a.b", "a", "b", "c", "() end", ""},
		"if a then b() else c() end": {"if a then b() else c() end", "a", "b()", "b()", "b()", "b", "c()", "c()", "c()", "c"},
	} {
		got := texts(parse(t, source))[1:]
		if strings.HasPrefix(source, "local") {
			got = got[1:]
		}
		require.Equal(t, want, got, source)
	}
}

func TestNamesBelongToTheirDeclarations(t *testing.T) {
	tree := parse(t, `local x = 1
local function f(y, ...) x = y; return arg, z end
do local x = x end
for i, v in pairs(x) do f(i) end
repeat local q until q`)
	var got []string
	for _, l := range tree.Locals {
		line := fmt.Sprintf("%s/%d", l.Name, l.Kind)
		for _, u := range l.Uses {
			at, column := tree.Position(u.From)
			line += fmt.Sprintf(" %d:%d", at, column)
			if u.Write {
				line += "w"
			}
		}
		if l.Outer != nil {
			line += " hides"
		}
		got = append(got, line)
	}
	require.Equal(t, []string{"x/0 2:26w 3:14 4:19", "f/1 4:25", "y/3 2:30", "arg/3 2:40", "x/0 hides",
		"i/2 4:27", "v/2", "q/0 5:22"}, got)
	require.Len(t, tree.Globals, 2)
	require.Equal(t, "z", tree.Globals[0].Text)
	require.Equal(t, "pairs", tree.Globals[1].Text)
}

func TestScopesEndWithTheirBlock(t *testing.T) {
	tree := parse(t, "do local a = 1 f(a) end local b = 2 return b")
	require.Equal(t, "f(a) ", tree.Text(tree.Locals[0].Scope))
	require.Equal(t, "return b", tree.Text(tree.Locals[1].Scope))
}

func TestCommentsAndFirstLineAreKept(t *testing.T) {
	tree := parse(t, "#!lua name=x\n-- one\nreturn 1 --[==[ two\n]==]")
	require.Equal(t, "#!lua name=x", tree.Text(tree.Shebang))
	require.Len(t, tree.Comments, 2)
	require.Equal(t, "-- one", tree.Text(tree.Comments[0].Range))
	require.False(t, tree.Comments[0].Long)
	require.Equal(t, "--[==[ two\n]==]", tree.Text(tree.Comments[1].Range))
	require.True(t, tree.Comments[1].Long)
	require.Equal(t, "return 1 --[==[ two", tree.Text(tree.Line(3)))
	require.Equal(t, 4, tree.Lines())
}

func TestErrorsAreThoseOfTheCompiler(t *testing.T) {
	for _, source := range []string{"x =", "return 1 2", "f(", "for i do end", "break", "local function f() return ... end",
		"a.b", "if x then", "x = 'a", "f\n()", "local 1", "function f(..., a) end", "{}", "goto x",
		strings.Repeat("(", 300), strings.Repeat("do ", 300)} {
		_, want := luac.Compile(source, "user_script", luac.Options{})
		_, err := luatree.Parse(source)
		require.EqualError(t, err, want.Error(), source)
	}
}

func TestLongChainsAreRefused(t *testing.T) {
	_, err := luatree.Parse("return 1" + strings.Repeat("+1", 100000))
	require.ErrorContains(t, err, "expression has more than 1000 parts")
	_, err = luatree.Parse("return f" + strings.Repeat("()", 100000))
	require.ErrorContains(t, err, "expression has more than 1000 parts")
}

// check requires that a text that compiles has a tree, and that every node lies within the one
// around it.
func check(t *testing.T, source string) {
	body := source
	if strings.HasPrefix(source, "#!") {
		_, rest, _ := strings.Cut(source, "\n")
		body = "\n" + rest
	}
	_, compileErr := luac.Compile(body, "user_script", luac.Options{})
	tree, err := luatree.Parse(source)
	if err != nil {
		if compileErr == nil {
			require.ErrorContains(t, err, "expression has more than")
		}
		return
	}
	var inside func(outer luatree.Range, n luatree.Node)
	inside = func(outer luatree.Range, n luatree.Node) {
		luatree.Walk(n, func(m luatree.Node) bool {
			r := m.Span()
			require.LessOrEqual(t, outer.From, r.From)
			require.LessOrEqual(t, r.From, r.To)
			require.LessOrEqual(t, r.To, outer.To)
			if m == n {
				return true
			}
			inside(r, m)
			return false
		})
	}
	inside(luatree.Range{To: len(source)}, tree.Main.Body)
	for _, l := range tree.Locals {
		if l.Range != (luatree.Range{}) {
			require.Equal(t, l.Name, tree.Text(l.Range))
		}
	}
}

func TestScriptsOfTheProjectHaveTrees(t *testing.T) {
	n := 0
	for _, pattern := range []string{"../../scripts/*/*.lua", "../../internal/testing/difftest/testdata/lines/*.lua"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			check(t, string(text))
			n++
		}
	}
	require.Greater(t, n, 80)
}

func FuzzWhatCompilesHasATree(f *testing.F) {
	f.Add("local a <const> = {1, [2]=3, f'x'} return a..1")
	f.Add("#!lua\nfor i=1,2 do local function g(...) return arg end if g then break end end")
	f.Add("--[==[ x\n]==] a.b[c]:d{1;2} = 3")
	f.Fuzz(func(t *testing.T, source string) {
		check(t, source)
	})
}
