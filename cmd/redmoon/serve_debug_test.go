//go:build unix

package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
	"github.com/redmoon-lua/redmoon/internal/testing/screen"
)

const debugged = `local n = tonumber(ARGV[1])
local function add(a, b)
  local sum = a + b
  return sum
end
for i = 1, 2 do
  n = add(n, i)
end
redis.call('set', KEYS[1], n)
redis.debug('n is', n)
return redis.call('incr', KEYS[1])
`

// TestRedisCliDebugs types the same into redis-cli --ldb on redis-server and on "redmoon serve",
// and compares the screens with their colours.
func TestRedisCliDebugs(t *testing.T) {
	redistest.Need(t)
	redistest.NeedProgram(t, "redis-cli")
	oracle, err := redistest.Start()
	require.NoError(t, err)
	t.Cleanup(oracle.Stop)
	addrs, stop := serving(t, 1, "--addr", "127.0.0.1:0")
	t.Cleanup(func() { stop() })
	script := filepath.Join(t.TempDir(), "script.lua")
	require.NoError(t, os.WriteFile(script, []byte(debugged), 0o644))
	broken := filepath.Join(t.TempDir(), "broken.lua")
	require.NoError(t, os.WriteFile(broken, []byte("local a = 1\nreturn a a\n"), 0o644))

	for name, c := range map[string]struct {
		args []string
		keys []string // typed lines
	}{
		"a forked session": {[]string{"--ldb", "--eval", script, "k", ",", "5"},
			[]string{"s", "n", "list", "b 4", "c", "p", "trace", "p sum", "e 1+1", "r get k", "b", "b 0", "maxlen 70",
				"help", "whole", "nosuch", "c", "get k"}},
		"a synchronous session": {[]string{"--ldb-sync-mode", "--eval", script, "k", ",", "5"},
			[]string{"b 9 11", "c", "s", "s", "s", "get k", "del k"}},
		"a restart": {[]string{"--ldb", "--eval", script, "k", ",", "5"},
			[]string{"b 7", "c", "p n", "restart", "b", "s", "abort", "restart", "c"}},
		"a restart after the end": {[]string{"--ldb", "--eval", script, "k", ",", "6"}, []string{"c", "get k"}},
		"an error":                {[]string{"--ldb", "--eval", script}, []string{"s", "s", "p", "c", "ping"}},
		"quit":                    {[]string{"--ldb", "--eval", script, "k", ",", "5"}, []string{"s", "quit"}},
		"a script with a mistake": {[]string{"--ldb", "--eval", broken}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			theirs := typed(t, oracle.Addr, c.args, c.keys)
			require.Equal(t, theirs, typed(t, addrs[0], c.args, c.keys))
		})
	}
}

var (
	serverAt  = regexp.MustCompile(`127\.0\.0\.1:\d+>`)
	addressOf = regexp.MustCompile(`@0x[0-9a-f]+`)
)

// typed starts redis-cli, types lines, and returns the screen.
func typed(t *testing.T, addr string, args, lines []string) string {
	host, port, err := net.SplitHostPort(addr)
	require.NoError(t, err)
	s := screen.Start(t, screen.Options{Width: 120, Height: 200}, append([]string{"redis-cli", "-h", host, "-p", port}, args...)...)
	for i, line := range lines {
		s.Wait(fmt.Sprintf(`(?s)(?:^(?:lua debugger|127\.0\.0\.1:\d+)>.*){%d}`, i+1))
		s.Line(line)
	}
	if len(lines) == 0 || lines[len(lines)-1] == "quit" {
		s.Wait("exit code")
	} else {
		s.Wait(fmt.Sprintf(`(?s)(?:^(?:lua debugger|127\.0\.0\.1:\d+)>.*){%d}`, len(lines)+1))
	}
	return addressOf.ReplaceAllString(serverAt.ReplaceAllString(strings.TrimSpace(s.Colours()), "prompt>"), "@0x")
}
