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

// clientSession is what any server must answer to a client.
func clientSession(t *testing.T, addr string) {
	c, lines, ended, _, err := ldb.Start(dial(t, addr), script, []string{"k"}, []string{"41"}, true)
	require.NoError(t, err)
	require.False(t, ended)
	require.Equal(t, []string{"* Stopped at 1, stop reason = step over", "-> 1   local n = tonumber(ARGV[1])"}, lines)
	require.Equal(t, 1, c.Line())
	require.Equal(t, "step over", c.Reason())

	_, ended, _, err = c.Do("break", "3")
	require.NoError(t, err)
	require.False(t, ended)
	lines, ended, _, err = c.Do("continue")
	require.NoError(t, err)
	require.False(t, ended)
	require.Equal(t, []string{"* Stopped at 3, stop reason = break point", "->#3   return n + 1"}, lines)
	require.Equal(t, 3, c.Line())
	require.Equal(t, "break point", c.Reason())

	lines, _, _, err = c.Do("print", "n")
	require.NoError(t, err)
	require.Equal(t, []string{"<value> 41"}, lines)

	lines, ended, reply, err := c.Do("step")
	require.NoError(t, err)
	require.True(t, ended)
	require.Empty(t, lines)
	require.Equal(t, int64(42), reply.Int())
	require.Zero(t, c.Line())
	_, _, _, err = c.Do("step")
	require.ErrorIs(t, err, ldb.ErrSessionOver)
	require.NoError(t, c.Close())

	_, lines, ended, reply, err = ldb.Start(dial(t, addr), "return return", nil, nil, false)
	require.NoError(t, err)
	require.True(t, ended)
	require.Empty(t, lines)
	require.ErrorContains(t, reply.Err(), "Error compiling script")
}

func TestAClientDebugsOnRedis(t *testing.T) {
	redistest.Need(t)
	s, err := redistest.Start()
	require.NoError(t, err)
	t.Cleanup(s.Stop)
	clientSession(t, s.Addr)
}
