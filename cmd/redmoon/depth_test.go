package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/display"
	"github.com/redmoon-lua/redmoon/debugger"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/resp"
)

// recursions lists every recursive function whose depth depends on a script's data, with its limit.
// Go cannot recover from a stack overflow, so no limit may be a number that the script sets. Each
// script drives its function to the limit; the entry also has the beginning of the reply.
var recursions = []struct{ name, bound, script, want string }{
	{"cjson.encode of arrays", "8,000 values on Lua's stack",
		"cjson.encode_max_depth(2147483647) local t = {} t[1] = t return cjson.encode(t)",
		"ERR user_script:1: Cannot serialise, excessive nesting (7998)"},
	{"cjson.encode of objects", "8,000 values on Lua's stack",
		"cjson.encode_max_depth(2147483647) local t = {} t.a = t return cjson.encode(t)",
		"ERR user_script:1: Cannot serialise, excessive nesting (4000)"},
	{"cjson.decode of arrays", "8,000 values on Lua's stack", "cjson.decode_max_depth(2147483647) return cjson.decode(('['):rep(2e7))",
		"ERR user_script:1: Found too many nested data structures (7999)"},
	{"cjson.decode of objects", "8,000 values on Lua's stack",
		"cjson.decode_max_depth(2147483647) return cjson.decode(('{\"a\":'):rep(1e6))",
		"ERR user_script:1: Found too many nested data structures (4000)"},
	{"cmsgpack.pack", "16 tables", "local t = {} t[1] = t return cmsgpack.pack(t)", strings.Repeat("\x91", 16) + "\xc0"},
	{"cmsgpack.unpack of arrays", "8,000 values on Lua's stack", "return cmsgpack.unpack(('\\145'):rep(1e6))",
		"ERR user_script:1: stack overflow"},
	{"cmsgpack.unpack of maps", "8,000 values on Lua's stack", "return cmsgpack.unpack(('\\129'):rep(1e6))",
		"ERR user_script:1: stack overflow"},
	{"reply of arrays", "8,000 values on Lua's stack", "local t = {} t[1] = t return t", ""},
	{"reply of arrays, wide", "8,000 values on Lua's stack", "local t = {} for i = 1, 1e5 do t = {1, t, 2} end return t", ""},
	{"reply of maps", "8,000 values on Lua's stack", "redis.setresp(3) local t = {} t.map = {a = t} return t", ""},
	{"reply of maps by their keys", "8,000 values on Lua's stack", "redis.setresp(3) local t = {} t.map = {} t.map[t] = 1 return t", ""},
	{"reply of sets", "8,000 values on Lua's stack", "redis.setresp(3) local t = {} t.set = {[t] = true} return t", ""},
	{"redis.debug", "32 tables", "local t = {} for i = 1, 5e5 do t = {t} end redis.debug(t) return 1", "1"},
	{"redis.debug of shared tables", "4,096 keys and values", "local t = {} for i = 1, 30 do t = {t, t} end redis.debug(t) return 1", "1"},
	{"__tostring", "200 C calls", "local t = setmetatable({}, " +
		"{}) getmetatable(t).__tostring = function() return tostring(t) end return tostring(t)",
		"ERR C stack overflow"},
	{"__index functions", "200 C calls", "local t = setmetatable({}, {}) getmetatable(t).__index = function(_, " +
		"k) return t[k] end return t.a",
		"ERR user_script:1: C stack overflow"},
	{"__index tables", "100 tables", "local t = {} setmetatable(t, {__index = t}) return t.a", "ERR user_script:1: loop in gettable"},
	{"__newindex tables", "100 tables", "local t = {} setmetatable(t, {__newindex = t}) t.a = 1", "ERR user_script:1: loop in settable"},
	{"__newindex functions", "200 C calls", "local t = setmetatable({}, " +
		"{}) getmetatable(t).__newindex = function(_, k, v) t[k] = v end t.a = 1",
		"ERR user_script:1: C stack overflow"},
	{"__call", "20,000 functions", "local t = setmetatable({}, {}) getmetatable(t).__call = function() return 1 + t() end return t()",
		"ERR user_script:1: stack overflow"},
	{"__concat", "200 C calls", "local t = setmetatable({}, {}) getmetatable(t).__concat = function(a, b) return a .. b end return t .. t",
		"ERR user_script:1: C stack overflow"},
	{"__eq", "200 C calls", "local m = {} local a, b = setmetatable({}, m), setmetatable({}, " +
		"m) m.__eq = function(a, b) return a == b end return a == b",
		"ERR user_script:1: C stack overflow"},
	{"__lt", "200 C calls", "local m = {} local a, b = setmetatable({}, m), setmetatable({}, " +
		"m) m.__lt = function(a, b) return a < b end return a < b",
		"ERR user_script:1: C stack overflow"},
	{"__add", "200 C calls", "local t = setmetatable({}, {}) getmetatable(t).__add = function(a, b) return a + b end return t + t",
		"ERR user_script:1: C stack overflow"},
	{"functions", "20,000 functions", "local function f() return 1 + f() end return f()", "ERR user_script:1: stack overflow"},
	{"pcall", "200 C calls", "local function f() return pcall(f) end return tostring(select('#', f()))", "2"},
	{"pcall at the bottom of which much is done",
		"200 C calls", `cjson.encode_max_depth(2147483647) local t = {} t[1] = t
		local function f() local ok, e = pcall(f) if e == nil or tostring(e):find('C stack') then
			pcall(string.find, ('a'):rep(2e5), ('a?'):rep(2e5) .. 'b') return select(2, pcall(cjson.encode, ` +
			`t)) end return e end return f()`, ""},
	{"xpcall", "220 C calls", "local function f() return xpcall(f, f) end return (f())", "1"},
	{"error handlers", "220 C calls", "local function h() error('x') end return select(2, xpcall(h, h))", "error in error handling"},
	{"coroutines", "200 C calls", "local function f() return coroutine.wrap(f)() end return f()", "ERR user_script:1:"},
	{"coroutines and functions", "200 C calls, each of 20,000 functions",
		`local function f(n) if n > 0 then return 1 + f(n - 1) end return coroutine.wrap(f)(5000) end return f(1000)`,
		"ERR user_script:1:"},
	{"sort", "the logarithm of the length", "local t = {} for i = 1, " +
		"1e5 do t[i] = i * 7919 % 1000003 end table.sort(t) return #t", "100000"},
	{"sort in comparators", "200 C calls", "local function f() table.sort({1, 2, 3}, f) end f()", "ERR C stack overflow"},
	{"gsub in replacements", "200 C calls", "local function f() return (('x'):gsub('x', f)) end return f()", "ERR C stack overflow"},
	{"table.foreach", "200 C calls", "local function f() table.foreach({1}, f) end f()", "ERR C stack overflow"},
	{"load in readers", "200 C calls", "local function f() load(f) error('x') end return tostring(pcall(f))", ""},
	{"patterns", "150,000 attempts", "return string.find(('a'):rep(2e5), ('a?'):rep(2e5) .. 'b')",
		"ERR user_script:1: pattern too complex"},
	{"patterns with captures", "150,000 attempts", "return string.find(('a'):rep(2e5), '((' .. ('a?'):rep(2e5) .. ')b)')",
		"ERR user_script:1: pattern too complex"},
	{"the collector", "none: a list of what is left", "local t = {} for i = 1, 3e5 do t = {t} end collectgarbage() return 1", "1"},
	{"error tables", "one table", "local e = {} for i = 1, 1e5 do e = {err = e} end error(e)", "ERR execution failure"},
}

const depthChild = "REDMOON_DEPTH_CHILD"

// smallStack is a stack size in bytes that is enough for every recursion. Go's own limit is 1 GB.
const smallStack = 64 << 20

// TestRecursionIsBounded drives each recursion to its limit in a process with a small stack. An
// overflow would end that process.
func TestRecursionIsBounded(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestRecursionChild$", "-test.v")
	cmd.Env = append(os.Environ(), depthChild+"=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out[:min(len(out), 1<<14)])
	require.Contains(t, string(out), "--- PASS: TestRecursionChild")
}

// TestRecursionChild runs in the process with the small stack.
func TestRecursionChild(t *testing.T) {
	if os.Getenv(depthChild) == "" {
		t.Skip("runs in a process of its own")
	}
	debug.SetMaxStack(smallStack)
	ctx := context.Background()
	verbose := slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelDebug}))
	e, err := engine.New(engine.Options{Logger: verbose})
	require.NoError(t, err)
	defer e.Close()
	s, err := e.NewSession()
	require.NoError(t, err)
	defer s.Close()
	for _, r := range recursions {
		t.Run(r.name, func(t *testing.T) {
			for _, proto := range []string{"2", "3"} {
				_, err := s.Do(ctx, "HELLO", proto)
				require.NoError(t, err)
				v, _ := s.Do(ctx, "EVAL", r.script, "0")
				require.True(t, strings.HasPrefix(v.Text(), r.want), "%.200q", v.Text())
				shown(t, v)
			}
			_, err = e.DebugScript(ctx, engine.NewScript(r.script), nil, nil, func(*engine.DebugRun) engine.Debugger { return printed{} })
			require.NotErrorIs(t, err, engine.ErrClosed)
		})
	}
}

// shown calls the functions that walk a reply to its full depth.
func shown(t *testing.T, v engine.Value) {
	require.True(t, v.Equal(v.Clone()))
	require.Positive(t, v.WireSize())
	for _, proto := range []int{2, 3} {
		resp.Append(nil, v, proto)
	}
	display.Standard(nil, v)
	display.Raw(nil, v)
	display.JSON(nil, v)
}

// printed is a debugger that prints the arguments of redis.debug, and errors.
type printed struct{}

func (printed) Line(*engine.Stack, int)                     {}
func (printed) Call(*engine.Stack, []string)                {}
func (printed) Reply(*engine.Stack, []string, engine.Value) {}
func (printed) Raise(_ *engine.Stack, v engine.LuaValue, _ bool) {
	debugger.Format(v, 1<<20)
}
func (printed) Complain(*engine.Stack, string) {}
func (printed) Breakpoint(*engine.Stack) bool  { return false }
func (printed) Print(_ *engine.Stack, values []engine.LuaValue) {
	debugger.FormatAll(values, 1<<20)
}
func (printed) Log(*engine.Stack, int, string) {}
