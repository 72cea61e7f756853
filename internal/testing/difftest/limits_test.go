package difftest

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/resp"
)

// everything sends wire to an address and reads until the server closes the connection.
func everything(t *testing.T, addr, wire string) string {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, c.SetDeadline(patience.Deadline()))
	_, _ = io.WriteString(c, wire) // fails when the server does not read it all
	got, _ := io.ReadAll(c)        // ends with EOF, or a reset where bytes were left unread
	return string(got)
}

// statsLine is one field of INFO stats.
func statsLine(t *testing.T, c Conn, field string) string {
	t.Helper()
	_, rest, ok := strings.Cut(infoText(t, c, "stats"), field+":")
	require.True(t, ok)
	value, _, _ := strings.Cut(rest, "\r")
	return value
}

// TestMaxClients compares the replies when there are too many clients, and their counts.
func TestMaxClients(t *testing.T) {
	var reported []string
	for i, addr := range []string{oracleWith(t).Addr, serve(t, engine.Options{}, resp.Options{})} {
		c := dialTo(t, addr)
		limit := 4 - i // the harness has a connection to the oracle
		ask(t, c, "CONFIG", "RESETSTAT")
		ask(t, c, "CONFIG", "SET", "maxclients", fmt.Sprint(limit))
		for range 2 {
			ask(t, dialTo(t, addr), "PING")
		}
		text := everything(t, addr, "") + everything(t, addr, "")
		text += " rejected " + statsLine(t, c, "rejected_connections") + ", received " + statsLine(t, c, "total_connections_received")
		ask(t, c, "CONFIG", "SET", "maxclients", fmt.Sprint(limit+1))
		text += everything(t, addr, "PING\r\nQUIT\r\n")
		ask(t, c, "CONFIG", "RESETSTAT")
		text += " rejected " + statsLine(t, c, "rejected_connections")
		reported = append(reported, text)
	}
	require.Equal(t, reported[0], reported[1])
	require.Contains(t, reported[1], "-ERR max number of clients reached\r\n")
}

// TestQueryBufferLimit compares at which size of a request a connection is closed.
func TestQueryBufferLimit(t *testing.T) {
	theirs, ours := oracleWith(t).Addr, serve(t, engine.Options{}, resp.Options{})
	for _, addr := range []string{theirs, ours} {
		ask(t, dialTo(t, addr), "CONFIG", "SET", "client-query-buffer-limit", "1mb")
	}
	const limit = 1 << 20
	for _, size := range []int{100, limit - 40000, limit - 16384, limit - 3, limit - 2, limit - 1, limit, limit + 1, limit + 100000} {
		wire := string(resp.AppendCommand(nil, "SET", "k", strings.Repeat("x", size)))
		for _, more := range []string{"PING\r\nQUIT\r\n", strings.Repeat("PING\r\n", 10000) + "QUIT\r\n"} {
			require.Equal(t, everything(t, theirs, wire+more), everything(t, ours, wire+more), "%d bytes", size)
		}
	}
	small := strings.Repeat("x", 700000) // the sum does not count
	wire := string(resp.AppendCommand(resp.AppendCommand(nil, "SET", small, small), "QUIT"))
	require.Equal(t, everything(t, theirs, wire), everything(t, ours, wire))
}

// TestTimeout compares which idle connections are closed.
func TestTimeout(t *testing.T) {
	closed := func(addr string) string {
		control := dialTo(t, addr) // a subscriber is not idle, however slow the machine is
		ask(t, control, "HELLO", "3")
		ask(t, control, "SUBSCRIBE", "b")
		c := dialTo(t, addr)
		require.NoError(t, c.Send("SUBSCRIBE a\r\n"))
		_, err := c.Read()
		require.NoError(t, err)
		waiter, watcher, idle, busy := dialTo(t, addr), dialTo(t, addr), dialTo(t, addr), dialTo(t, addr)
		require.NoError(t, waiter.Send("BLPOP k 0\r\n"))
		require.NoError(t, watcher.Send("MONITOR\r\n"))
		_, err = watcher.Read()
		require.NoError(t, err)
		ask(t, control, "CONFIG", "SET", "timeout", "1")
		require.NoError(t, idle.Send("*1\r\n$4\r\nPI"))
		end := make(chan string, 1)
		go func() {
			raw, err := idle.Read()
			end <- fmt.Sprintf("idle %q %v\n", raw, err)
		}()
		text := ""
		for asked := Present(); text == ""; {
			select {
			case text = <-end:
			default:
				before := asked
				asked = Present()
				raw, err := busy.Do([]string{"PING"})
				require.NoError(t, err)
				if string(raw) == Closed { // on a busy machine it is idle too, for once
					require.Greater(t, Present().Sub(before), time.Second, "a connection that is not idle is closed")
					busy = dialTo(t, addr)
				}
			}
		}
		ask(t, control, "RPUSH", "k", "v")
		ask(t, control, "PUBLISH", "a", "x")
		for _, kept := range []*NetConn{waiter, c} {
			raw, err := kept.Read()
			text += fmt.Sprintf("%q %v\n", raw, err)
		}
		ask(t, control, "CONFIG", "SET", "timeout", "0")
		raw, err := watcher.Read()
		return text + fmt.Sprintf("%d %v", raw[0], err)
	}
	ours := make(chan string, 1)
	addr := serve(t, engine.Options{}, resp.Options{})
	oracle := oracleWith(t).Addr
	go func() { ours <- closed(addr) }()
	require.Equal(t, closed(oracle), <-ours)
}

// TestProtectedMode compares the replies to clients from other machines. A client counts as one if
// it connects to another address than a loopback address.
func TestProtectedMode(t *testing.T) {
	host := ""
	addrs, err := net.InterfaceAddrs()
	require.NoError(t, err)
	for _, a := range addrs {
		if ip, ok := a.(*net.IPNet); ok && ip.IP.To4() != nil && !ip.IP.IsLoopback() {
			host = ip.IP.String()
		}
	}
	if host == "" {
		require.False(t, inCI(), "CI needs an address beyond the loopback")
		t.Skip("this machine has the loopback's addresses only")
	}
	oracle := oracleWith(t, "--bind", "0.0.0.0").Addr
	addr := serveOn(t, "0.0.0.0:0", engine.Options{}, resp.Options{})
	var reported []string
	for _, addr := range []string{oracle, addr} {
		_, port, err := net.SplitHostPort(addr)
		require.NoError(t, err)
		outside, inside := net.JoinHostPort(host, port), net.JoinHostPort("127.0.0.1", port)
		const wire = "PING\r\nQUIT\r\n"
		text := everything(t, outside, "") + everything(t, inside, wire)
		c := dialTo(t, inside)
		text += "rejected " + statsLine(t, c, "rejected_connections") + "\n"
		for _, change := range [][]string{{"requirepass", "pw"}, {"requirepass", ""}, {"protected-mode", "no"}, {"protected-mode", "yes"}} {
			ask(t, c, append([]string{"CONFIG", "SET"}, change...)...)
			if change[1] == "" || change[1] == "yes" {
				text += everything(t, outside, "")
			} else {
				text += everything(t, outside, wire)
			}
		}
		reported = append(reported, text)
	}
	require.Equal(t, reported[0], reported[1])
	require.Contains(t, reported[1], "-DENIED ")
}
