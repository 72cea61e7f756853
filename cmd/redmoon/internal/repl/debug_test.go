package repl_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/repl"
	"github.com/stretchr/testify/require"
)

// scriptFile writes a script to a file and returns its path.
func scriptFile(t *testing.T, source string) string {
	path := filepath.Join(t.TempDir(), "s.lua")
	require.NoError(t, os.WriteFile(path, []byte(source), 0o600))
	return path
}

// says checks that a dialogue contains texts in this order.
func says(t *testing.T, got string, texts ...string) {
	t.Helper()
	rest := got
	for _, text := range texts {
		i := strings.Index(rest, text)
		require.GreaterOrEqual(t, i, 0, "no %q, in its place, in:\n%s", text, got)
		rest = rest[i+len(text):]
	}
}

func TestBreakpoints(t *testing.T) {
	path := scriptFile(t, "local n = 0\n\nfor i = 1, 9 do\n  n = n + i\nend\nreturn n\n")
	says(t, dialogue(t, ":break 4", ":load "+path, ":break x", ":break 4 whatever", ":break 2 if n > 99",
		":break 4 if i == 3 or i > 7", ":break", ":debug", "c", "p i", "c", "p i",
		":break 4 hits >5 log n is {n}", "b 6", ":delete 3", ":delete 4", "c", "= n", ":delete all", ":break", "c"),
		":break 4\nno script is loaded; :load file.lua loads one\n",
		"> :break x\nusage: :break [LINE", "> :break 4 whatever\nunexpected \"whatever\"\n",
		"> :break 2 if n > 99\nbreakpoint at line 3 if n > 99, the next line with code\n",
		":break 4 if i == 3 or i > 7\nbreakpoint at line 4 if i == 3 or i > 7\n",
		":break\nbreakpoint at line 3 if n > 99   for i = 1, 9 do\nbreakpoint at line 4 if i == 3 or i > 7   n = n + i\n",
		"before the first line, s.lua:1\n", "s.lua:4> p i\n3\n", "s.lua:4> p i\n8\n",
		"breakpoint at line 4 hits >5 log n is {n}\n", "b 6\nbreakpoint at line 6\n", "> :delete 3\n",
		"s.lua:6> = n\n45\n", "1 removed\n", "no breakpoints;", "(integer) 45\n")
}

func TestLogpoints(t *testing.T) {
	path := scriptFile(t, "local n = 0\nfor i = 1, 3 do\n  n = n + i\nend\nreturn n\n")
	says(t, dialogue(t, ":load "+path, ":break 3 log n is {n}", ":debug", "c"),
		"s.lua:3 logpoint: n is 0\ns.lua:3 logpoint: n is 1\ns.lua:3 logpoint: n is 3\n(integer) 6\n")
}

func TestOtherStops(t *testing.T) {
	path := scriptFile(t, "local n = 1\nredis.call('SET', 'k', n)\nn = 2\npcall(error, 'caught')\nredis.call('INCR', 'h')\nreturn n\n")
	says(t, dialogue(t, "hset h f v", ":load "+path, ":stop", ":stop on", ":stop on moon", ":stop on error",
		":stop on command set", ":stop on key k*", ":stop on change n",
		":debug", "c", "c", "c", "c", "c", "c", ":stop off", ":stop"),
		"stops at errors that end a script of :debug", "> :stop on\nstops at errors that end", "> :stop on moon\nusage: :stop [on error",
		":stop on change n\nstops at every error, before SET, after a change of a key k*, when n changes\n",
		"before SET", "key k has changed", "n has changed", "error, s.lua:4\ncaught", "WRONGTYPE", "(error) WRONGTYPE",
		":stop\nno stops except breakpoints")
}

func TestInspectFrames(t *testing.T) {
	path := scriptFile(t, "local top = {1, x = 'y'}\nlocal function f(a, "+
		"...)\n  local inner = top[1] + a\n  return inner\nend\nlocal r = f(2, 'more')\nreturn r\n")
	says(t, dialogue(t, ":load "+path, ":break 4", ":debug", "c", "v", "t", ":up", "v", "p inner", "p top.x",
		":set top.x = 'z'", ":up", "f 0", "f 9", "f x", ":set inner", ":set inner = ", ":set inner == 1",
		":set inner = 40", "p inner, top.x", "l", "l 1", "l 99", "= local q = 1", "= )", "= nosuch.field", "= error('boom')", "c"),
		"locals\n  a = 2\n  arg = {\"more\", n = 1}\n  inner = 3\nupvalues\n  top = {1, x = \"y\"}\nvarargs\n  ...1 = \"more\"\n",
		"> 0  f  s.lua:4\n  1  main chunk  s.lua:6\n",
		"frame 1, main chunk\n# -> 4    return inner\n     5  end\n   > 6  local r",
		"s.lua:4 #1> v\nlocals\n  top = {1, x = \"y\"}\n",
		"p inner\nlua:1: Script attempted to access nonexistent global variable 'inner'",
		"p top.x\n\"y\"\n", "top.x = \"z\"\n", "there is no frame 2; :stack shows 0 to 1", "frame 0, f\n",
		"there is no frame 9", "usage: :frame [N]",
		"usage: :set NAME = EXPRESSION\n", "usage: :set", "usage: :set", "inner = 40\n", "40\n\"z\"\n", "-> 4",
		"l 99\nthe script has no such line\n", "lua:1\n> 1 | )", "boom", "(integer) 40\n")
}

func TestJSON(t *testing.T) {
	path := scriptFile(t, "local order = {id = 7, items = {'a', 'b'}, notes = {}}\nreturn order.id\n")
	says(t, dialogue(t, ":json 1", ":load "+path, ":debug", "n", "j order", ":json order.id, 'x'", "json", "j )", "j nosuch",
		"j redis.call", "j {1, x = 2}", "h :json", "c"),
		":json needs a stopped script", "s.lua:2> j order\n{\n  \"id\": 7,\n  \"items\": [\n    \"a\",\n    \"b\"\n  ],\n  \"notes\": []\n}\n",
		":json order.id, 'x'\n7\n\"x\"\n", "json\nusage: :json EXPRESSION\n", "lua:1\n> 1 | )", "nonexistent global variable 'nosuch'",
		"j redis.call\ncannot encode function to JSON\n", "j {1, x = 2}\ncannot encode mixed or invalid key types\n",
		"as JSON", "(integer) 7\n")
}

func TestWatchExpressions(t *testing.T) {
	path := scriptFile(t, "local n = 1\nn = n + 1\nreturn n\n")
	says(t, dialogue(t, ":load "+path, ":watch", ":watch ((", ":watch n", ":watch n * 2", ":watch n", ":watch", ":debug",
		"n", "n", ":unwatch 1", ":unwatch 7", "n", ":watch", ":unwatch all", ":watch", "c"),
		"no watch expressions", "\"((\" is not a Lua expression", ":watch\n1  n\n2  n * 2\n", "s.lua:2\n",
		"1 n = 1\n2 n * 2 = 2\n", "1 n = 2\n2 n * 2 = 4\n",
		":unwatch 7\na number or all is needed", ":unwatch all\n", ":watch\nno watch expressions")
}

func TestStepsInBothDirections(t *testing.T) {
	path := scriptFile(t, "redis.call('INCR', 'n')\nredis.call('INCR', 'n')\nreturn redis.call('GET', 'n')\n")
	says(t, dialogue(t, ":load "+path, ":debug", "k", "n", "", "get n", ":back", "get n", ":calls", ":set n = 1", "r",
		"get n", ":back x", ":back 99", "c", ":step", "s"),
		"k\nthe script is at its first line\n", "s.lua:2\n", "s.lua:3\n", "get n\n\"2\"\n", "back, s.lua:2\n",
		"get n\n\"1\"\n", ":calls\n  1  line 1  INCR n  -> 1\n",
		"before the first line", "get n\n(nil)\n", "usage: :back [N]", "there was no such stop\n", "\"2\"\n",
		":step needs a stopped script", "s\n:step needs a stopped script; :debug starts one, :run runs it to its end")
}

func TestDiff(t *testing.T) {
	path := scriptFile(t, "redis.call('SET', 'a', ARGV[1])\nredis.call('HSET', KEYS[1], 'f', 'v')\nredis.call('DEL', 'gone')\nreturn 1\n")
	says(t, dialogue(t, ":diff", "set gone 1", ":load "+path, ":run h , x", ":diff", ":diff nosuch", ":restore",
		":snapshot", ":run", ":diff last", "select 3", "set other 1", ":diff last", ":restore last", "dbsize", "select 0",
		":debug --sync h2 , 'a b'", "n", "n", ":diff", ":snapshot", ":run", ":load "+path, "c", ":diff"),
		"no script has run yet", "a\n+ string, 1 byte\n+ \"x\"\ngone\n- string, 1 byte\n",
		"there is no snapshot \"nosuch\"", "there is no snapshot \"last\"; :snapshot makes one",
		"snapshots: last\n", ":diff last\n(no changes)\n", ":diff last\n[3] other\n+ string", "dbsize\n(integer) 0\n",
		":diff\na  set\n  string  \"a b\"\nh2  hset\n  hash, 1  [\"f\",\"v\"]\n", ":snapshot cannot be used while",
		":run cannot be used while", ":load cannot be used while", "its changes stay", "a\n", "- \"x\"\n+ string, 3 bytes\n+ \"a b\"\n")
}

func TestTime(t *testing.T) {
	says(t, dialogue(t, ":time freeze", ":time 2030-01-31T12:00:00Z", "set k v ex 60", ":time +59s", "ttl k",
		":time +1001ms", "exists k", ":time -1d", ":time 0", ":time +x", ":time +", ":time noon", ":time run",
		":time reset", ":time +1d2h"),
		"2030-01-31T12:00:00.000Z, ", "frozen", "ttl k\n(integer) 1\n", "exists k\n(integer) 0\n",
		"2030-01-30T12:01:00.001Z", "1970-01-01T00:00:00.000Z", "\"+x\" is not a duration", "\"noon\" is not a time",
		":time +1d2h", "1d2h0m ahead")
}

func TestLuaAtThePrompt(t *testing.T) {
	says(t, dialogue(t, "= 1 + 1", "=redis.call('SET', 'k', 'v')", "= {1, 'a'}", "= if true then", "return 5", "end",
		":lua", "local a = 1", "", ":lua", "for i = 1, 2 do", "", "end", "return 8", "",
		"= [[x", "y]]", "= 1 +* 2", "= error('boom')", ":lua return", "= nosuch"),
		"= 1 + 1\n(integer) 2\n", "OK\n", "1) (integer) 1\n2) \"a\"\n", "(integer) 5\n",
		"local a = 1\nredmoon> \n(nil)\n", "(integer) 8\n", "\"x\\ny\"\n", "unexpected symbol near '*'", "boom",
		"nonexistent global variable 'nosuch'")
}

func TestSource(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a"), []byte("set k v\n= redis.call('GET',\n  'k')\n:nosuch\nset k w\n"), 0o600))
	got, err := talk(t, ":source "+filepath.Join(folder, "a"), "get k", ":source nosuch", ":source", ":load nosuch", ":",
		":nosuch", ":re", ":load", ":run", ":debug", ":list", "run", ":clear")
	require.ErrorIs(t, err, repl.ErrFailed)
	says(t, got, "OK\n\"v\"\nunknown command :nosuch; :help lists the commands\n", "get k\n\"v\"\n", "no such file",
		"usage: :source FILE", "no such file", "a name must follow the colon", "unknown command :nosuch",
		":re is ambiguous: :reverse or :restart or :restore", "no script is loaded", "no script is loaded",
		"no script is loaded", "no script is loaded", "(:run is a command of the prompt, with a colon)")
}
