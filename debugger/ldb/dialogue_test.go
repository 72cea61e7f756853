package ldb_test

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/redmoon-lua/redmoon/debugger/ldb"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/resp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server serves an engine with the debugger.
type server struct {
	e      *engine.Engine
	s      *resp.Server
	addr   string
	served chan error
}

func serve(t *testing.T) *server {
	t.Helper()
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &server{e, resp.NewServer(e, resp.Options{Debug: ldb.Debug}), l.Addr().String(), make(chan error, 1)}
	go func() { s.served <- s.s.Serve(l) }()
	t.Cleanup(func() {
		require.NoError(t, s.s.Close())
		require.ErrorIs(t, <-s.served, resp.ErrServerClosed)
		require.NoError(t, s.e.Close())
	})
	return s
}

// start begins to debug a script and expects it to stop at its first line.
func start(t *testing.T, addr string, sync bool, script string, keys ...string) *ldb.Client {
	t.Helper()
	c, a, err := ldb.Start(dial(t, addr), script, keys, nil, sync)
	require.NoError(t, err)
	require.False(t, a.Ended, "%v", a.Reply)
	require.Equal(t, 1, c.Line())
	return c
}

func TestAClientDebugsOnRedmoon(t *testing.T) { clientSession(t, serve(t).addr) }

func TestForkedSessionsRunSideBySide(t *testing.T) {
	s := serve(t)
	_, err := s.e.Do(t.Context(), "SET", "n", 5)
	require.NoError(t, err)
	const script = "redis.call('incr', KEYS[1])\nreturn redis.call('incr', KEYS[1])"
	a, b := start(t, s.addr, false, script, "n"), start(t, s.addr, false, script, "n")
	answer, err := a.Do("step")
	require.NoError(t, err)
	require.Contains(t, answer.Lines, "<reply> 6")
	_, err = s.e.Do(t.Context(), "SET", "n", 100)
	require.NoError(t, err)
	for _, c := range []*ldb.Client{b, a} {
		answer, err = c.Do("continue")
		require.NoError(t, err)
		require.True(t, answer.Ended)
		require.Equal(t, int64(7), answer.Reply.MustInt())
	}
	v, err := s.e.Do(t.Context(), "GET", "n")
	require.NoError(t, err)
	require.Equal(t, "100", v.Text())
}

func TestAScriptRunsOnWhenItsClientDisconnects(t *testing.T) {
	s := serve(t)
	c := start(t, s.addr, true, "local n = 1\nredis.call('set', KEYS[1], n)\nredis.breakpoint()\nreturn n", "k")
	_, err := c.Do("break", "2")
	require.NoError(t, err)
	require.NoError(t, c.Close())
	v, err := s.e.Do(t.Context(), "GET", "k") // waits for the end of the script
	require.NoError(t, err)
	require.Equal(t, "1", v.Text())
}

func TestAnEndlessScriptIsAbortedWhenItsClientDisconnects(t *testing.T) {
	s := serve(t)
	_, err := s.e.Do(t.Context(), "CONFIG", "SET", "busy-reply-threshold", 20)
	require.NoError(t, err)
	c := start(t, s.addr, true, "redis.call('set', KEYS[1], 1)\nwhile true do pcall(function() while true do end end) end", "k")
	require.NoError(t, c.Close())
	for {
		v, err := s.e.Do(t.Context(), "GET", "k")
		if errors.Is(err, engine.ErrBusy) {
			continue
		}
		require.NoError(t, err)
		require.Equal(t, "1", v.Text())
		return
	}
}

func TestKillingAClientEndsItsSession(t *testing.T) {
	s := serve(t)
	conn := dial(t, s.addr)
	c, _, err := ldb.Start(conn, "return 1", nil, nil, false)
	require.NoError(t, err)
	v, err := s.e.Do(t.Context(), "CLIENT", "KILL", "ADDR", conn.LocalAddr().String())
	require.NoError(t, err)
	require.True(t, v.MustBool())
	_, err = c.Do("step")
	require.Error(t, err)
}

func TestClosingWhileAScriptIsStopped(t *testing.T) {
	for name, end := range map[string]func(s *server) error{
		"the server":   func(s *server) error { return s.s.Close() },
		"in good time": func(s *server) error { return s.s.Shutdown(context.Background()) },
		"the engine":   func(s *server) error { return s.e.Close() },
	} {
		for _, sync := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				s := serve(t)
				conn := dial(t, s.addr)
				_, a, err := ldb.Start(conn, "local a = 1\nreturn a", nil, nil, sync)
				require.NoError(t, err)
				require.False(t, a.Ended)
				require.NoError(t, end(s))
				if name == "the engine" && !sync { // the fork stays until its client disconnects
					return
				}
				_, err = io.ReadAll(conn)
				require.NoError(t, err)
			})
		}
	}
}
