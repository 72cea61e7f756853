package resp_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/resp"
)

func memoryServer(t *testing.T) *resp.Server {
	t.Helper()
	before := goleak.IgnoreCurrent()
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	s := resp.NewServer(e, resp.Options{})
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		require.NoError(t, e.Close())
		goleak.VerifyNone(t, before)
	})
	return s
}

func dial(t *testing.T, s *resp.Server) net.Conn {
	t.Helper()
	nc, err := s.Dial()
	require.NoError(t, err)
	t.Cleanup(func() { _ = nc.Close() })
	return nc
}

func TestAnInMemoryConnectionServesPipelines(t *testing.T) {
	nc := dial(t, memoryServer(t))
	var out []byte
	for i := range 1000 {
		out = resp.AppendCommand(out, "INCRBY", "k", strconv.Itoa(i))
	}
	out = resp.AppendCommand(out, "CLIENT", "INFO")
	_, err := nc.Write(out)
	require.NoError(t, err)
	d := resp.NewDecoder(bufio.NewReader(nc))
	sum := int64(0)
	for i := range 1000 {
		sum += int64(i)
		v, err := d.Decode()
		require.NoError(t, err)
		require.Equal(t, sum, v.MustInt())
	}
	v, err := d.Decode()
	require.NoError(t, err)
	require.Contains(t, v.Text(), "addr="+nc.LocalAddr().String()+" laddr="+nc.RemoteAddr().String())
}

// Much more is sent in both directions than may wait unread.
func TestAnInMemoryConnectionBlocksAFastWriter(t *testing.T) {
	nc := dial(t, memoryServer(t))
	big := string(bytes.Repeat([]byte("x"), 3<<20))
	go func() {
		_, _ = nc.Write(resp.AppendCommand(nil, "SET", "k", big))
		for range 20 {
			_, _ = nc.Write(resp.AppendCommand(nil, "GET", "k"))
		}
	}()
	d := resp.NewDecoder(bufio.NewReader(nc))
	v, err := d.Decode()
	require.NoError(t, err)
	require.Equal(t, "OK", v.Text())
	for range 20 {
		v, err := d.Decode()
		require.NoError(t, err)
		require.True(t, v.Text() == big)
	}
}

func TestDeadlinesOfAnInMemoryConnection(t *testing.T) {
	nc := dial(t, memoryServer(t))
	one := make([]byte, 1)
	require.NoError(t, nc.SetDeadline(time.Unix(1, 0)))
	_, err := nc.Read(one)
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	_, err = nc.Write([]byte("PING\r\n"))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)

	require.NoError(t, nc.SetDeadline(time.Now().Add(time.Millisecond)))
	_, err = nc.Read(one) // nothing is sent
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)

	require.NoError(t, nc.SetReadDeadline(patience.Deadline()))
	require.NoError(t, nc.SetWriteDeadline(time.Time{}))
	done := make(chan error, 1)
	go func() {
		_, err := nc.Read(one)
		done <- err
	}()
	require.NoError(t, nc.SetReadDeadline(time.Unix(1, 0))) // before or during the wait
	require.ErrorIs(t, <-done, os.ErrDeadlineExceeded)

	require.NoError(t, nc.SetDeadline(time.Time{}))
	_, err = nc.Write([]byte("PING\r\n"))
	require.NoError(t, err)
	line, err := bufio.NewReader(nc).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "+PONG\r\n", line)
}

func TestClosingAnInMemoryConnection(t *testing.T) {
	s := memoryServer(t)
	nc := dial(t, s)
	go func() { _ = nc.Close() }()
	_, err := io.ReadAll(nc)
	require.ErrorIs(t, err, net.ErrClosed)
	_, err = nc.Write([]byte("x"))
	require.ErrorIs(t, err, net.ErrClosed)

	nc = dial(t, s) // bytes written before the close are read
	_, err = nc.Write([]byte("ECHO a\r\nQUIT\r\n"))
	require.NoError(t, err)
	all, err := io.ReadAll(nc)
	require.NoError(t, err)
	require.Equal(t, "$1\r\na\r\n+OK\r\n", string(all))

	nc = dial(t, s)
	waiting := make(chan error, 1)
	go func() {
		_, err := io.ReadAll(nc)
		waiting <- err
	}()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	require.NoError(t, s.Shutdown(ctx))
	require.NoError(t, <-waiting)
	_, err = s.Dial()
	require.ErrorIs(t, err, resp.ErrServerClosed)
}
