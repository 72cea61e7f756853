package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
)

// runRedmoon runs the program and returns its exit code and what it prints.
func runRedmoon(ctx context.Context, args ...string) (code int, stdout, stderr string) {
	var out, problems bytes.Buffer
	std := &streams{in: strings.NewReader(""), out: &out, err: &problems, interruptible: ctx}
	code = std.main(args)
	return code, out.String(), problems.String()
}

// TestTestAgainstAServer runs the conformance suites of package luatest on redis-server as well:
// each reply and each keyspace is the same.
func TestTestAgainstAServer(t *testing.T) {
	redistest.Need(t)
	server, err := redistest.Start()
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	ctx := context.Background()
	const suites = "../../internal/tools/luatest/testdata/pass"
	code, out, problems := runRedmoon(ctx, "test", "--against", "redis://"+server.Addr+"/4", suites)
	require.Zero(t, code, out+problems)
	require.Regexp(t, `(?m)^1[0-9]{2} tests compared with the server, 5[0-9] not compared$`, out)
	require.Contains(t, out, "✓ clock › moves (not compared: uses clock)")
	v, err := server.Do("INFO", "keyspace")
	require.NoError(t, err)
	require.NotContains(t, v.Text(), "db", "nothing remains")

	// Keys are not deleted unless the user allows it.
	_, err = server.Do("SET", "precious", "1")
	require.NoError(t, err)
	smoke := filepath.Join(suites, "smoke_test.lua")
	code, _, problems = runRedmoon(ctx, "test", "--against", server.Addr, smoke)
	require.Equal(t, 2, code)
	require.Contains(t, problems, "has 1 keys, which the tests would delete")
	v, err = server.Do("GET", "precious")
	require.NoError(t, err)
	require.Equal(t, "1", v.Text())
	code, out, _ = runRedmoon(ctx, "test", "--against", server.Addr+"/0", "--flush", smoke)
	require.Zero(t, code, out)
	_, err = server.Do("FUNCTION", "LOAD", "#!lua name=mine\nredis.register_function('f', function() end)")
	require.NoError(t, err)
	code, _, problems = runRedmoon(ctx, "test", "--against", server.Addr, smoke)
	require.Equal(t, 2, code)
	require.Contains(t, problems, "has function libraries")

	// What differs is shown. The version of the server is the easiest difference to have.
	file := filepath.Join(t.TempDir(), "x_test.lua")
	require.NoError(t, os.WriteFile(file, []byte(`server { server = 'redis-8.0' }
it('differs', function() redis.pcall('HEXPIRE', 'h', 10, 'FIELDS', 1, 'f') redis.call('SET', 'k', 1) end)`), 0o666))
	code, out, _ = runRedmoon(ctx, "test", "--against", server.Addr+"/5", "--flush", file)
	require.Equal(t, 1, code)
	require.Contains(t, out, "the server differs:\n      HEXPIRE h 10 FIELDS 1 f\n        redmoon: [(integer) -2]\n"+
		"         server: (error) ERR unknown command")
}

// Of replies about the server only the kinds are compared. Commands whose effect would stay on the
// server are not run there.
func TestTestAgainstAServerLeavesItAsItWas(t *testing.T) {
	redistest.Need(t)
	server, err := redistest.Start()
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	var text strings.Builder
	compared := []string{"CONFIG GET maxmemory*", "INFO server", "ACL LIST", "CLIENT ID", "SLOWLOG GET", "COPY a b", "SCRIPT LOAD return_1",
		"WAIT 0 0", "MEMORY DOCTOR", "FUNCTION STATS", "PUBLISH c m", "OBJECT ENCODING k"}
	left := []string{"SELECT 1", "COPY a b DB 1", "CONFIG SET maxmemory 1", "CLIENT SETNAME me", "FLUSHALL", "SCRIPT FLUSH", "ACL SETUSER u",
		"SAVE", "SUBSCRIBE c"}
	for _, line := range append(slices.Clone(compared), left...) {
		words := "'" + strings.ReplaceAll(line, " ", "', '") + "'"
		fmt.Fprintf(&text, "it(\"%s\", function() redis.call('SET', 'k', 1) redis.pcall(%s) end)\n", line, words)
	}
	file := filepath.Join(t.TempDir(), "x_test.lua")
	require.NoError(t, os.WriteFile(file, []byte(text.String()), 0o666))
	code, out, problems := runRedmoon(context.Background(), "test", "--against", "redis://"+server.Addr+"/4", file)
	require.Zero(t, code, out+problems)
	for _, line := range compared {
		require.NotContains(t, out, line+" (not compared")
	}
	for _, line := range left {
		require.Contains(t, out, line+" (not compared: uses ")
	}
	require.Contains(t, out, fmt.Sprintf("%d tests compared with the server, %d not compared", len(compared), len(left)))
}

// The exit code after Ctrl-C is 130.
func TestTestIsInterrupted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x_test.lua")
	require.NoError(t, os.WriteFile(file, []byte("it('x', function() end)"), 0o666))
	ctx, stop := context.WithCancel(context.Background())
	stop()
	code, _, _ := runRedmoon(ctx, "test", file)
	require.Equal(t, 130, code)
}

// Watching ends when the user ends it.
func TestTestWatch(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x_test.lua")
	require.NoError(t, os.WriteFile(file, []byte("it('x', function() end)"), 0o666))
	ctx, stop := context.WithCancel(context.Background())
	out := &stopper{on: "waiting for changes", stop: stop}
	std := &streams{out: out, err: out, interruptible: ctx}
	require.Zero(t, std.main([]string{"test", "--watch", file}))
	require.Contains(t, out.String(), "1 test in 1 file: 1 passed")
}

// stopper calls stop when it has seen a text.
type stopper struct {
	bytes.Buffer
	on   string
	stop func()
}

func (s *stopper) Write(p []byte) (int, error) {
	n, err := s.Buffer.Write(p)
	if strings.Contains(s.String(), s.on) {
		s.stop()
	}
	return n, err
}
