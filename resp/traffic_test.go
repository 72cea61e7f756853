package resp_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/resp"
)

// What is read from a client and written to it is counted, by both ways in which connections are
// served.
func TestTrafficIsCounted(t *testing.T) {
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	defer e.Close()
	s := resp.NewServer(e, resp.Options{})
	l, err := resp.Listen("127.0.0.1:0")
	require.NoError(t, err)
	go s.Serve(l)
	defer s.Close()
	for name, dial := range map[string]func() (net.Conn, error){
		"TCP": func() (net.Conn, error) { return net.Dial("tcp", l.Addr().String()) }, "in memory": s.Dial,
	} {
		t.Run(name, func(t *testing.T) {
			before, err := e.Stats(context.Background())
			require.NoError(t, err)
			nc, err := dial()
			require.NoError(t, err)
			defer nc.Close()
			require.NoError(t, nc.SetDeadline(patience.Deadline()))
			in := bufio.NewReader(nc)
			sent, got := 0, 0
			for _, step := range []struct {
				text  string
				lines int // of the reply
			}{{"PING\r\n", 1}, {"PING\r\nPING\r\n", 2}, {"ECHO " + strings.Repeat("x", 1000) + "\r\n", 2}, {"SUBSCRIBE c\r\n", 6},
				{"", 7}, {"", 7}, {"PING\r\n", 5}, {"UNSUBSCRIBE c\r\n", 6}, {"QUIT\r\n", 1}} {
				if step.text == "" {
					_, err := e.Do(context.Background(), "PUBLISH", "c", "message")
					require.NoError(t, err)
				}
				n, err := io.WriteString(nc, step.text)
				require.NoError(t, err)
				sent += n
				for range step.lines {
					line, err := in.ReadString('\n')
					require.NoError(t, err)
					got += len(line)
				}
			}
			_, err = in.ReadByte()
			require.ErrorIs(t, err, io.EOF)
			patience.Until(t, func() bool {
				after, err := e.Stats(context.Background())
				return err == nil && after.NetworkInput-before.NetworkInput == int64(sent) &&
					after.NetworkOutput-before.NetworkOutput == int64(got)
			}, "%d bytes in and %d out", sent, got)
		})
	}
}

// A request that does not end is cut off at the limit of the query buffer.
func TestTheQueryBufferIsBounded(t *testing.T) {
	e, err := engine.New(engine.Options{Config: map[string]string{"client-query-buffer-limit": "1mb", "proto-max-bulk-len": "100mb"}})
	require.NoError(t, err)
	defer e.Close()
	s := resp.NewServer(e, resp.Options{})
	l, err := resp.Listen("127.0.0.1:0")
	require.NoError(t, err)
	go s.Serve(l)
	defer s.Close()
	for _, c := range []struct {
		begin  string
		size   int
		closed bool
	}{{"*1\r\n$50000000\r\n", 3 << 20, true}, {"*2\r\n$4\r\nECHO\r\n$500000\r\n", 400_000, false}} {
		nc, err := net.Dial("tcp", l.Addr().String())
		require.NoError(t, err)
		require.NoError(t, nc.SetDeadline(patience.Deadline()))
		_, _ = io.WriteString(nc, c.begin+strings.Repeat("x", c.size)) // fails if it is closed meanwhile
		if c.closed {
			_, err = io.ReadAll(nc)
			require.NotErrorIs(t, err, context.DeadlineExceeded)
		} else {
			_, err = io.WriteString(nc, strings.Repeat("x", 100_000)+"\r\n")
			require.NoError(t, err)
			line, err := bufio.NewReader(nc).ReadString('\n')
			require.NoError(t, err)
			require.Equal(t, "$500000\r\n", line)
		}
		nc.Close()
	}
}
