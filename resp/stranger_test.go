package resp_test

import (
	"io"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/resp"
)

// A client that has not authenticated is closed when 17 KiB of replies wait that it could not get,
// also if it reads: they are counted before they are sent, as in Redis.
func TestAStrangerCannotLetRepliesWait(t *testing.T) {
	e, err := engine.New(engine.Options{Config: map[string]string{"requirepass": "secret"}})
	require.NoError(t, err)
	defer e.Close()
	s := resp.NewServer(e, resp.Options{})
	defer s.Close()
	l, err := resp.Listen("127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = s.Serve(l) }()
	const refused = "-NOAUTH Authentication required.\r\n"
	for name, dial := range map[string]func() (net.Conn, error){
		"socket": func() (net.Conn, error) { return net.Dial("tcp", l.Addr().String()) }, "memory": s.Dial,
	} {
		for pings, closed := range map[int]bool{1: false, 400: false, 2000: true} {
			nc, err := dial()
			require.NoError(t, err)
			require.NoError(t, nc.SetDeadline(patience.Deadline()))
			_, err = nc.Write([]byte(strings.Repeat("PING\r\n", pings)))
			require.NoError(t, err)
			if closed {
				got, _ := io.ReadAll(nc)
				require.Less(t, len(got), pings*len(refused), "%s, %d", name, pings)
			} else {
				got := make([]byte, pings*len(refused))
				_, err = io.ReadFull(nc, got)
				require.NoError(t, err, "%s, %d", name, pings)
				require.Equal(t, strings.Repeat(refused, pings), string(got))
				_, err = nc.Write([]byte("AUTH secret\r\nPING\r\nPING\r\n"))
				require.NoError(t, err)
				got = make([]byte, len("+OK\r\n+PONG\r\n+PONG\r\n"))
				_, err = io.ReadFull(nc, got)
				require.NoError(t, err, "%s, %d", name, pings)
			}
			require.NoError(t, nc.Close())
		}
	}
}
