package resp_test

import (
	"io"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/resp"
)

// killer is a connection that sends a command and reads one reply, a line or a bulk string.
type killer struct {
	t  *testing.T
	nc net.Conn
}

func dialKiller(t *testing.T, addr string) *killer {
	t.Helper()
	nc, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	t.Cleanup(func() { nc.Close() })
	require.NoError(t, nc.SetDeadline(patience.Deadline()))
	return &killer{t, nc}
}

func (k *killer) ask(args ...string) string {
	k.t.Helper()
	_, err := k.nc.Write(resp.AppendCommand(nil, args...))
	require.NoError(k.t, err)
	b := make([]byte, 4096)
	n, err := k.nc.Read(b)
	require.NoError(k.t, err)
	return string(b[:n])
}

// ended waits until the server closes the connection.
func (k *killer) ended() {
	k.t.Helper()
	_, err := k.nc.Read(make([]byte, 1))
	require.ErrorIs(k.t, err, io.EOF)
}

// TestClientKill runs the same on the oracle and on Redmoon: connections are killed by id and by
// address; a connection that kills itself gets its reply first.
func TestClientKill(t *testing.T) {
	for name, addr := range map[string]string{"oracle": startOracle(t).Addr, "redmoon": startRedmoon(t)} {
		t.Run(name, func(t *testing.T) {
			a := dialKiller(t, addr)
			b := dialKiller(t, addr)
			id := strings.TrimSpace(strings.TrimPrefix(b.ask("CLIENT", "ID"), ":"))
			require.Equal(t, ":1\r\n", a.ask("CLIENT", "KILL", "ID", id))
			b.ended()
			require.Equal(t, ":0\r\n", a.ask("CLIENT", "KILL", "ID", id))
			c := dialKiller(t, addr)
			require.Equal(t, "+PONG\r\n", c.ask("PING"))
			require.Equal(t, "+OK\r\n", a.ask("CLIENT", "KILL", c.nc.LocalAddr().String()))
			c.ended()
			mine := a.nc.LocalAddr().String()
			require.Equal(t, ":0\r\n", a.ask("CLIENT", "KILL", "ADDR", mine))
			require.Equal(t, ":0\r\n", a.ask("CLIENT", "KILL", "ADDR", mine, "SKIPME", "no", "TYPE", "pubsub"))
			require.Equal(t, ":1\r\n", a.ask("CLIENT", "KILL", "ADDR", mine, "SKIPME", "no", "USER", "default"))
			a.ended()
		})
	}
}
