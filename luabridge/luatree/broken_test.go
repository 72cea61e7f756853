package luatree_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/luabridge/luatree"
)

// visible returns the names of the locals in scope at the "|" of a text, without the "|".
func visible(t *testing.T, text string) string {
	at := strings.Index(text, "|")
	tree := luatree.ParseBroken(text[:at] + text[at+1:])
	require.NotNil(t, tree, text)
	var names []string
	for _, l := range tree.Locals {
		if l.VisibleAt(at) {
			names = append(names, l.Name)
		}
	}
	return strings.Join(names, " ")
}

func TestScopesOfBrokenTexts(t *testing.T) {
	for text, want := range map[string]string{
		"local a = 1\nlocal b = |\nlocal c = 2\n":                                 "a",
		"local a = 1\nredis.call('GET', |\nlocal c = 2\n":                         "a",
		"local a = 1\nredis.call('GE|\nlocal c = 2\n":                             "a",
		"local function f(x, y)\n  local z = x + |\nend\nlocal c":                 "f x y",
		"local function f(x, y)\n  return x + |":                                  "f x y",
		"local function f(x)\n  if x |\n  local y = 1\nend\nlocal q = f()":        "f x",
		"local function f(x)\n  if x then\n  local y = 1\n |\nend\nlocal q = f()": "f x y",
		"for i = 1, 10 do\n  f(i |\nend\nlocal z":                                 "i",
		"for i, v in pairs(\n|local z = 1":                                        "",
		"local a\nif a then\n  local b\nelseif | then\n  local c\nend":            "a",
		"local t = {\n  a = 1,\n  b = |\n}\nlocal u = 1":                          "",
		"local a pcall(function()\n  local b = 1\n  b.|\nend)\nlocal c":           "a b",
		"local a pcall(function()\n  local b = 1\n  |":                            "a b",
		"repeat local x = 1 |":                                                    "x",
		"local a = [[\n|":                                                         "",
		"#!lua name=x\nlocal a = 1\nreturn a.|":                                   "a",
		"local a = 1 ) end } |\nlocal b":                                          "a",
		"while true do local x x. | end":                                          "x",
	} {
		require.Equal(t, want, visible(t, text), text)
	}
}

// A text without errors has the tree that Parse returns.
func TestParseBrokenOfWholeTexts(t *testing.T) {
	const text = "#!lua name=x\n-- c\nlocal a = {1, b = 2}\nreturn function(...) return a, arg end"
	want := parse(t, text)
	got := luatree.ParseBroken(text)
	require.Equal(t, texts(want), texts(got))
	require.Equal(t, want.Comments, got.Comments)
	require.Equal(t, want.Shebang, got.Shebang)
	require.Len(t, got.Locals, len(want.Locals))
}

func TestTextsWithTooManyErrorsHaveNoTree(t *testing.T) {
	require.Nil(t, luatree.ParseBroken(strings.Repeat("x = = 1\nlocal function\n", 1000)))
	require.Nil(t, luatree.ParseBroken(strings.Repeat("(", 100000)))
}

func FuzzParseBroken(f *testing.F) {
	f.Add("local function f(x)\n  if x | = \n  local y = 1\nend")
	f.Add("#!lua\nf('a\n[[ { ( end until")
	f.Fuzz(func(t *testing.T, source string) {
		tree := luatree.ParseBroken(source)
		if tree == nil {
			return
		}
		for _, l := range tree.Locals {
			if l.Range != (luatree.Range{}) {
				require.Equal(t, l.Name, source[l.From:l.To])
			}
		}
		for _, c := range tree.Comments {
			require.LessOrEqual(t, c.To, len(source))
		}
	})
}
