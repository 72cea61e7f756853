package luavalue_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/tools/luatest/luavalue"
	"github.com/redmoon-lua/redmoon/luabridge"
)

// values returns what code returns.
func values(t *testing.T, code string) (*luabridge.Tool, []luabridge.Value) {
	tool := luabridge.NewTool(luabridge.ToolOptions{})
	t.Cleanup(tool.Close)
	fn, err := tool.Load("test", code)
	require.NoError(t, err)
	list, err := tool.Call(fn)
	require.NoError(t, err)
	return tool, list
}

func TestEqual(t *testing.T) {
	for code, want := range map[string]bool{
		"return 1, 1": true, "return 1, '1'": false, "return nil, nil": true, "return nil, false": false,
		"return 0/0, 0/0":                                                        false,
		"return {}, {}":                                                          true,
		"return {1, {a = {}}}, {1, {a = {}}}":                                    true,
		"return {1, {a = {}}}, {1, {a = {1}}}":                                   false,
		"return {a = 1}, {b = 1}":                                                false,
		"return {a = 1}, {a = 1, b = 1}":                                         false,
		"return {a = 1, b = 1}, {a = 1}":                                         false,
		"return {[1.5] = true}, {[1.5] = true}":                                  true,
		"return print, print":                                                    true,
		"return {pcall}, {error}":                                                false,
		"local a, b = {}, {} a.a, b.a = a, b return a, b":                        true,
		"local a, b = {}, {1} a.a, b.a = a, b return a, b":                       false,
		"local a, b = {}, {} a.a, b.a = b, a return a, b":                        true,
		"local k = {} return {[k] = 1}, {[k] = 1}":                               true,
		"return {[{}] = 1}, {[{}] = 1}":                                          false,
		"return setmetatable({}, {__eq = error}), setmetatable({}, {})":          true,
		"local a, b = {}, {} for i = 1, 1900 do a, b = {a}, {b} end return a, b": true,
	} {
		_, v := values(t, code)
		equal, err := luavalue.Equal(v[0], v[1])
		require.NoError(t, err)
		require.Equal(t, want, equal, code)
	}
	_, v := values(t, "local a, b = {}, {} for i = 1, 100000 do a, b = {a}, {b} end return a, b")
	_, err := luavalue.Equal(v[0], v[1])
	require.ErrorIs(t, err, luavalue.ErrDeep)
}

func TestCopy(t *testing.T) {
	tool, v := values(t, "local a = {1, {2}} a.self = a return a, function() a[2][1] = 3 end")
	copied := luavalue.Copy(tool, v[0])
	equal, err := luavalue.Equal(copied, v[0])
	require.NoError(t, err)
	require.True(t, equal)
	require.Equal(t, copied, copied.Get("self"))
	_, err = tool.Call(v[1])
	require.NoError(t, err)
	require.Equal(t, "{ { 2 } }", luavalue.FormatShort(tool.Table(tool.Table(copied.Elements()[1].Elements()[0]))))
}

func TestFormat(t *testing.T) {
	for code, want := range map[string]string{
		"return nil":                      "nil",
		"return 'a\"\\n\\0\\200é\\t\\\\'": `"a\"\n\000\200é\t\\"`,
		"return 1/3":                      "0.33333333333333",
		"return {}":                       "{}",
		"return {1, 'a', {true}}":         `{ 1, "a", { true } }`,
		"return {b = 1, a = 2, [3] = 3, ['x y'] = 4, ['end'] = 5, [true] = 6}": `{ [3] = 3, a = 2, b = 1, ["end"] = 5, ["x y"] = 4, [true] = 6 }`,
		"return pcall":                   "<function>",
		"local t = {} t.t = t return t":  "{ t = <table in itself> }",
		"return {[-1] = 'x', [1] = 'y'}": `{ [-1] = "x", [1] = "y" }`,
	} {
		_, v := values(t, code)
		require.Equal(t, want, luavalue.Format(v[0]), code)
	}
	_, v := values(t, "return {name = ('x'):rep(60), list = {1, 2, 3}, deep = {a = ('y'):rep(60), b = {}}}")
	require.Equal(t, `{
  deep = {
    a = "`+strings.Repeat("y", 60)+`",
    b = {},
  },
  list = { 1, 2, 3 },
  name = "`+strings.Repeat("x", 60)+`",
}`, luavalue.Format(v[0]))
}

// What is shown is bounded, whatever a test makes.
func TestFormatIsBounded(t *testing.T) {
	for _, code := range []string{
		"local t = {} for i = 1, 200000 do t[i] = i end return t",
		"return ('x'):rep(10000000)",
		"local t = {} for i = 1, 100000 do t = {t} end return t",
		"local t = {} for i = 1, 1000 do t[i] = ('x'):rep(10000) end return t",
		"local t = {1} for i = 1, 60 do t = {t, t} end return t",
	} {
		_, v := values(t, code)
		require.Less(t, len(luavalue.Format(v[0])), 300<<10, code)
		require.Less(t, len(luavalue.Lines(v[0])), 70000, code)
	}
}

func TestDiff(t *testing.T) {
	for code, want := range map[string]string{
		"return {1, 2}, {1, 2}":                               "",
		"return {a = 1, b = 2, c = 3}, {a = 1, b = 4, c = 3}": "  {|    a = 1,|-   b = 2,|+   b = 4,|    c = 3,|  }",
		"return {1}, {1, 2}":                                  "  {|    1,|+   2,|  }",
		"return 'a\\nb\\nc', 'a\\nx\\nc'":                     "  a|- b|+ x|  c",
		"return 'a\\nb', 1":                                   `- "a\nb"|+ 1`,
		"local a, b = {}, {} for i = 1, 20 do a[i], b[i] = i, i end b[10] = 'x' return a, b": "" +
			"  … 7 lines|    7,|    8,|    9,|-   10,|+   \"x\"," +
			"|    11,|    12,|    13,|  … 8 lines",
	} {
		_, v := values(t, code)
		var lines []string
		for _, l := range luavalue.Diff(v[0], v[1]) {
			lines = append(lines, l.String())
		}
		require.Equal(t, want, strings.Join(lines, "|"), code)
	}
	_, v := values(t, "local a, b = {}, {} for i = 1, 5000 do a[i], b[i] = i, -i end return a, b")
	require.LessOrEqual(t, len(luavalue.Diff(v[0], v[1])), 202)
}
