package ldb_test

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/debugger/ldb"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
)

const script = "local n = tonumber(ARGV[1])\nredis.call('set', KEYS[1], n)\nreturn n + 1"

func dial(t *testing.T, addr string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// clientSession debugs a script with a client. All servers must answer the same.
func clientSession(t *testing.T, addr string) {
	c, a, err := ldb.Start(dial(t, addr), script, []string{"k"}, []string{"41"}, true)
	require.NoError(t, err)
	require.False(t, a.Ended)
	require.Equal(t, []string{"* Stopped at 1, stop reason = step over", "-> 1   local n = tonumber(ARGV[1])"}, a.Lines)
	require.Equal(t, 1, c.Line())
	require.Equal(t, "step over", c.Reason())

	a, err = c.Do("break", "3")
	require.NoError(t, err)
	require.False(t, a.Ended)
	a, err = c.Do("continue")
	require.NoError(t, err)
	require.False(t, a.Ended)
	require.Equal(t, []string{"* Stopped at 3, stop reason = break point", "->#3   return n + 1"}, a.Lines)
	require.Equal(t, 3, c.Line())
	require.Equal(t, "break point", c.Reason())

	a, err = c.Do("print", "n")
	require.NoError(t, err)
	require.Equal(t, []string{"<value> 41"}, a.Lines)

	a, err = c.Do("step")
	require.NoError(t, err)
	require.True(t, a.Ended)
	require.Empty(t, a.Lines)
	require.Equal(t, int64(42), a.Reply.MustInt())
	require.Zero(t, c.Line())
	_, err = c.Do("step")
	require.ErrorIs(t, err, ldb.ErrSessionOver)
	require.NoError(t, c.Close())

	_, a, err = ldb.Start(dial(t, addr), "return return", nil, nil, false)
	require.NoError(t, err)
	require.True(t, a.Ended)
	require.Empty(t, a.Lines)
	require.ErrorContains(t, a.Reply.Err(), "Error compiling script")
}

func TestAClientDebugsOnRedis(t *testing.T) {
	redistest.Need(t)
	s, err := redistest.Start()
	require.NoError(t, err)
	t.Cleanup(s.Stop)
	clientSession(t, s.Addr)
}
