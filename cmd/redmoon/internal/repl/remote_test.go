package repl_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/backend"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/display"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/repl"
	"github.com/redmoon-lua/redmoon/debugger/ldb"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
	"github.com/redmoon-lua/redmoon/redmoontest"
	"github.com/redmoon-lua/redmoon/resp"
	"github.com/stretchr/testify/require"
)

// serve serves a new engine and returns its address.
func serve(t *testing.T) string {
	e := redmoontest.New(t)
	l, err := resp.Listen("127.0.0.1:0")
	require.NoError(t, err)
	server := resp.NewServer(e.Engine, resp.Options{Debug: ldb.Debug})
	go func() { _ = server.Serve(l) }() // until Close
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	return l.Addr().String()
}

// remoteDialogue is like dialogue, with the server at addr. SERVER replaces the address.
func remoteDialogue(t *testing.T, addr string, proto int, lines ...string) string {
	t.Helper()
	place, err := backend.Connect(t.Context(), addr, proto)
	require.NoError(t, err)
	defer place.Close()
	var out strings.Builder
	err = repl.Run(repl.Options{
		Lines: &typist{lines, &out}, Backend: place, Commands: engine.Commands{}, Out: &out, Proto: proto,
		Print: func(b []byte, _ []string, v engine.Value) []byte { return display.Standard(b, v) },
	})
	if err != nil {
		require.ErrorIs(t, err, repl.ErrFailed)
	}
	return strings.ReplaceAll(out.String(), place.Name(), "SERVER")
}

const addScript = `local function add(key, by)
  return redis.call('INCRBY', key, by)
end
local sum = 0
for i = 1, 2 do
  sum = sum + add(KEYS[1], i)
end
redis.debug('sum', sum)
return {sum, ARGV[1]}
`

// addFile writes addScript to a file and returns its path.
func addFile(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "add.lua")
	require.NoError(t, os.WriteFile(path, []byte(addScript), 0o600))
	return path
}

// serverSession is a dialogue that runs and debugs a script on a server.
func serverSession(path string) []string {
	return []string{
		"select 2", "set n 5", ":load " + path, ":run n , ann", ":run", "get n", "set t x ex 100", "rpush l a b", ":keys",
		":keys n*", "= redis.call('GET', KEYS[1] or 'n')",
		":break 2", ":break 2 if by > 1", ":break 77", ":debug n , bob", ":list 1", "c", "v", "t", "p by", "p by + 1",
		"= 1 + 1", "p nosuch", ":watch by", "get n", "lrange l 0 -1",
		"n", "s", ":out", ":back", ":set by = 2", ":calls", "j n", ":diff", ":stop on error", ":frame 1", ":snapshot",
		":delete 2", "r", "c", "get n",
		":debug", ":abort", ":debug --sync n , eve", "c", "get n", ":break 2", ":debug --sync", "c", "r", "a",
		"nosuch", "subscribe x", "multi", "set a 1", "exec", "quit", "get a",
	}
}

func TestAScriptIsDebuggedOnAServer(t *testing.T) {
	path := addFile(t)
	got := remoteDialogue(t, serve(t), 2, serverSession(path)...)
	for _, want := range []string{
		"SERVER[2]> :run n , ann\n1) (integer) 14\n2) \"ann\"\n",
		"SERVER[2]> :keys n*\nn  string  \"11\"\n",
		"SERVER[2]> :break 77\nthere is no code on line 77 or after it\n",
		"the debugger of a Redis server has breakpoints on lines only",
		"add.lua:3> c\nbreakpoint, add.lua:2\n     1  local function add(key, by)\n# -> 2    return redis.call('INCRBY', key, by)\n",
		"add.lua:2> v\nlocals\n  key = \"n\"\n  by = 1\n",
		"add.lua:2> t\n> 0  add  add.lua:2\n  1  top level  add.lua:6\n",
		"add.lua:2> p by\n1\n",
		"(code that is evaluated on a Redis server does not see the locals; :print NAME shows one)",
		"add.lua:2> = 1 + 1\n2\n",
		"1 by = 1\n",
		"add.lua:2> get n\n\"11\"\n",
		"the debugger of a Redis server cannot run to the end of a function; :debug without --connect can",
		":calls cannot be used on a server",
		":json cannot be used on a server",
		"1) (integer) 26\n2) \"bob\"\nthe script has ended; its changes are discarded, " +
			"because it ran on a copy of the data\nSERVER[2]> get n\n\"11\"\n",
		"aborted; its changes are discarded",
		"2) \"eve\"\nthe script has ended; its changes stay\nSERVER[2]> get n\n\"14\"\n",
		"cannot undo what a script has changed with --sync",
		"subscribe cannot be used at this prompt",
		"SERVER[2](TX)> exec\n1) OK\n",
	} {
		require.Contains(t, got, want)
	}
	require.True(t, strings.HasSuffix(got, "SERVER[2]> quit\n"))
}

// TestDebuggingEqualsRedis holds the same dialogue with Redis's debugger and with ours.
func TestDebuggingEqualsRedis(t *testing.T) {
	redistest.Need(t)
	s, err := redistest.Start()
	require.NoError(t, err)
	defer s.Kill()
	path := addFile(t)
	require.Equal(t, remoteDialogue(t, s.Addr, 2, serverSession(path)...), remoteDialogue(t, serve(t), 2, serverSession(path)...))
}

func TestAServerOverRESP3(t *testing.T) {
	got := remoteDialogue(t, serve(t), 3, "hset h f v", "hgetall h", "hello 2", "hgetall h", "reset", "hello 3")
	require.Contains(t, got, "hgetall h\n1# \"f\" => \"v\"\n")
	require.Contains(t, got, "hgetall h\n1) \"f\"\n2) \"v\"\n")
}

func TestALostConnectionIsMadeAgain(t *testing.T) {
	got := remoteDialogue(t, serve(t), 2, "select 3", "set k v", "client kill type normal skipme no", "get k", "get k")
	require.Contains(t, got, "get k\nthe connection to SERVER is lost: ")
	require.True(t, strings.HasSuffix(got, "get k\n\"v\"\nSERVER[3]> "), got)
}
