package luabridge_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/luabridge"
	"github.com/redmoon-lua/redmoon/reply"
)

// newTool returns a tool with the functions twice(f, ...), which calls f two times and returns the
// results of the last call; try(f), which returns the text of its error; and fail(text).
func newTool(t *testing.T, opt luabridge.ToolOptions) *luabridge.Tool {
	tool := luabridge.NewTool(opt)
	t.Cleanup(tool.Close)
	g := tool.Globals()
	g.Set("twice", tool.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) {
		if _, err := tool.Call(c.Arg(0), c.Args[1:]...); err != nil {
			return nil, err
		}
		return tool.Call(c.Arg(0), c.Args[1:]...)
	}))
	g.Set("try", tool.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) {
		if _, err := tool.Call(c.Arg(0)); err != nil {
			return []luabridge.Value{tool.String("caught: " + err.Error())}, nil
		}
		return nil, nil
	}))
	g.Set("fail", tool.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) { return nil, errors.New(c.Arg(0).Text()) }))
	g.Set("check", tool.Func(func(c *luabridge.ToolCall) ([]luabridge.Value, error) { return nil, c.BadArgument(0, "no") }))
	return tool
}

func run(t *testing.T, tool *luabridge.Tool, code string) ([]luabridge.Value, error) {
	fn, err := tool.Load("a/file.lua", code)
	if err != nil {
		return nil, err
	}
	return tool.Call(fn)
}

func texts(values []luabridge.Value) string {
	var list []string
	for _, v := range values {
		switch v.Kind() {
		case luabridge.StringKind, luabridge.NumberKind:
			list = append(list, v.Text())
		case luabridge.BooleanKind:
			list = append(list, map[bool]string{true: "true", false: "false"}[v.Bool()])
		default:
			list = append(list, v.Kind().String())
		}
	}
	return strings.Join(list, " ")
}

func TestToolRunsCode(t *testing.T) {
	tool := newTool(t, luabridge.ToolOptions{})
	for code, want := range map[string]string{
		"x = 1 x = x + 1 return x, nosuch, _G.x":                                      "2 nil 2",
		"string.double = function(s) return s .. s end return ('ab'):double()":        "abab",
		"function redis.call() return 'mine' end return redis.call('GET', 'k')":       "mine",
		"for k in pairs(_G) do if k == 'twice' then return k end end":                 "twice",
		"local n = 0 local r = twice(function(a) n = n + a return n end, 5) return r": "10",
		"return pcall(error, {err = 'x'})":                                            "false table",
		"return pcall(twice, function() error('boom', 0) end)":                        "false boom",
		"return try(function() error('x') end)":                                       "caught: a/file.lua:1: x",
		"return pcall(fail, 'text')":                                                  "false text",
		"return pcall(function()\n\nfail('here') end)":                                "false a/file.lua:3: here",
		"local o = {check = check} " +
			"return pcall(function() o.check(1) end)": "false a/file.lua:1: bad argument #1 to 'check' (no)",
		"local o = {m = fail} " +
			"return pcall(function() return o.missing.x end)": "false a/file.lua:1: attempt to index field 'missing' (a nil value)",
		"return xpcall(function() error('e', 0) end, function(e) return 'h' .. e end)":              "false he",
		"local c = coroutine.wrap(function() return try(function() fail('in') end) end) return c()": "caught: a/file.lua:1: in",
		"return tostring(1/3), 10 / 2, cjson.encode({a = 1}), #cmsgpack.pack(1), bit.band(7, 2)":    "0.33333333333333 5 {\"a\":1} 1 2",
		"return getmetatable('').__index == string, setmetatable({}, {__index = _G}).type == type":  "true true",
	} {
		values, err := run(t, tool, code)
		require.NoError(t, err, code)
		require.Equal(t, want, texts(values), code)
	}
	require.Empty(t, tool.Broken())
}

func TestToolKeepsClosures(t *testing.T) {
	tool := newTool(t, luabridge.ToolOptions{})
	values, err := run(t, tool, "local n = 0 return function() n = n + 1 return n end, function() error('late') end")
	require.NoError(t, err)
	for _, want := range []float64{1, 2, 3} {
		results, err := tool.Call(values[0])
		require.NoError(t, err)
		require.Equal(t, want, results[0].Number())
		_, err = tool.Call(values[1])
		require.EqualError(t, err, "a/file.lua:1: late")
	}
	_, err = tool.Call(tool.Number(1))
	require.EqualError(t, err, "attempt to call a number value")
}

func TestToolErrorsShowWhereTheyWereRaised(t *testing.T) {
	tool := newTool(t, luabridge.ToolOptions{})
	_, err := run(t, tool, `local function inner()
  fail('boom')
end
local function outer() inner() return 1 end
twice(outer)`)
	require.EqualError(t, err, "a/file.lua:2: boom")
	var e *luabridge.ToolError
	require.ErrorAs(t, err, &e)
	var lines []string
	for _, line := range e.Trace(tool) {
		lines = append(lines, line.String())
	}
	require.Equal(t, []string{
		"[C]: in function 'fail'",
		"a/file.lua:2: in function 'inner'",
		"a/file.lua:4: in function <a/file.lua:4>",
		"[C]: in function 'twice'",
		"a/file.lua:5: in main chunk",
	}, lines)

	_, err = run(t, tool, "local t = setmetatable({err = 'ERR x'}, {}) error(t)")
	require.ErrorAs(t, err, &e)
	require.Equal(t, "ERR x", e.Error())
	require.Equal(t, luabridge.TableKind, e.Value.Kind())
	_, err = run(t, tool, "error({})")
	require.EqualError(t, err, "(error object is a table value)")
	_, err = run(t, tool, "x = = 1")
	require.EqualError(t, err, "a/file.lua:1: unexpected symbol near '='")
}

// Code cannot end the process, and what follows works.
func TestToolStopsCode(t *testing.T) {
	tool := newTool(t, luabridge.ToolOptions{MaxMemory: 32 << 20})
	for code, want := range map[string]string{
		"local function f() return 1 + f() end f()":                                         "stack overflow",
		"local function f() return 1 + twice(f) end f()":                                    "C stack overflow",
		"local function f() return 1 + select(2, pcall(f)) end f()":                         "attempt to perform arithmetic on a string value",
		"local function f() return coroutine.wrap(f)() end f()":                             "C stack overflow",
		"local t = {} while true do t[#t + 1] = ('x'):rep(100000) .. #t end":                "needs more than 33554432 bytes of memory",
		"local t = setmetatable({}, {__index = function(t, k) return t[k] end}) return t.x": "C stack overflow",
	} {
		_, err := run(t, tool, code)
		require.ErrorContains(t, err, want, code)
		require.Empty(t, tool.Broken(), code)
		values, err := run(t, tool, "return 1")
		require.NoError(t, err)
		require.Equal(t, "1", texts(values))
	}
}

func TestToolInterrupt(t *testing.T) {
	tool := newTool(t, luabridge.ToolOptions{})
	tool.Globals().Set("stop", tool.Func(func(*luabridge.ToolCall) ([]luabridge.Value, error) {
		tool.Interrupt("enough")
		return nil, nil
	}))
	for _, code := range []string{
		"stop() while true do end",
		"pcall(function() stop() while true do end end) while true do end",
		"pcall(twice, function() stop() while true do pcall(error) end end)",
		"coroutine.wrap(function() stop() while true do end end)()",
	} {
		_, err := run(t, tool, code)
		var e *luabridge.ToolError
		require.ErrorAs(t, err, &e, code)
		require.True(t, e.Stopped)
		require.Equal(t, "enough", e.Error())
		_, err = run(t, tool, "return 1")
		require.NoError(t, err)
	}
	tool.Interrupt("late")
	tool.ClearInterrupt()
	_, err := run(t, tool, "for i = 1, 10 do end")
	require.NoError(t, err)

	limited := newTool(t, luabridge.ToolOptions{MaxSteps: 1000})
	_, err = run(t, limited, "while true do end")
	require.ErrorContains(t, err, "it takes more than 1000 steps")
	_, err = run(t, limited, "for i = 1, 900 do end")
	require.NoError(t, err)
}

func TestToolAGoPanicBreaksTheState(t *testing.T) {
	tool := newTool(t, luabridge.ToolOptions{Logger: slog.New(slog.DiscardHandler)})
	tool.Globals().Set("panics", tool.Func(func(*luabridge.ToolCall) ([]luabridge.Value, error) { panic("bug") }))
	_, err := run(t, tool, "pcall(panics) return 1")
	require.EqualError(t, err, "internal error in script: bug")
	require.Equal(t, "internal error in script: bug", tool.Broken())
}

func TestToolConvertsReplies(t *testing.T) {
	tool := newTool(t, luabridge.ToolOptions{})
	g := tool.Globals()
	g.Set("reply", tool.FromReply(reply.Array(reply.Int(1), reply.Nil(), reply.Status("OK"), reply.Err("ERR x"))))
	values, err := run(t, tool, "return #reply, reply[2], reply[3].ok, reply[4].err, {1.9, 'a', {err = 'E'}, true, false}")
	require.NoError(t, err)
	require.Equal(t, "4 false OK ERR x table", texts(values))
	require.Equal(t, "1) (integer) 1\n2) \"a\"\n3) (error) E\n4) (integer) 1\n5) (nil)", tool.ToReply(values[4]).String())

	values, err = run(t, tool, "return 'SET', 'k', 3, 1.5, 1e20")
	require.NoError(t, err)
	words, ok := luabridge.Words(values)
	require.True(t, ok)
	require.Equal(t, []string{"SET", "k", "3", "1.5", "1e+20"}, words)
	_, ok = luabridge.Words([]luabridge.Value{tool.Table()})
	require.False(t, ok)
}

func TestToolDecodesJSON(t *testing.T) {
	tool := newTool(t, luabridge.ToolOptions{})
	v, err := tool.DecodeJSON(`{"a": [1, null, "x"], "b": {"c": true}, "d": null}`)
	require.NoError(t, err)
	tool.Globals().Set("v", v)
	values, err := run(t, tool, "v.a[4] = 'y' v.b.d = 1 return #v.a, v.a[1], v.a[2], v.a[3], v.b.c, v.d, cjson.encode(v.b)")
	require.NoError(t, err)
	require.Equal(t, `4 1 x nil true nil {"c":true,"d":1}`, texts(values))
	_, err = tool.DecodeJSON("{")
	require.Error(t, err)
}

func TestToolTables(t *testing.T) {
	tool := newTool(t, luabridge.ToolOptions{})
	v := tool.Table(tool.Int(1), tool.String("b"))
	v.Set("n", tool.Bool(true))
	meta := tool.Table()
	meta.Set("__tostring", tool.Func(func(*luabridge.ToolCall) ([]luabridge.Value, error) {
		return []luabridge.Value{tool.String("shown")}, nil
	}))
	v.SetMetatable(meta)
	require.Len(t, v.Elements(), 2)
	require.True(t, v.Get("n").Truth())
	require.False(t, v.Get("m").Truth())
	require.Equal(t, luabridge.FunctionKind, v.Metamethod("__tostring").Kind())
	require.Equal(t, luabridge.TableKind, tool.String("").Metamethod("__index").Kind())
	tool.Globals().Set("v", v)
	values, err := run(t, tool, "return tostring(v), #v, v[2]")
	require.NoError(t, err)
	require.Equal(t, "shown 2 b", texts(values))
}
