package resp

import (
	"net"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Connections over TCP get probes, and send small packets without delay.
func TestSocketOptions(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	for _, c := range []struct{ keepAlive, probes, idle, interval int }{{300, 1, 300, 100}, {1, 1, 1, 1}, {100_000, 1, 32767, 32767},
		{0, 0, 0, 0}} {
		nc, err := net.Dial("tcp", l.Addr().String())
		require.NoError(t, err)
		defer nc.Close()
		f, err := nc.(*net.TCPConn).File()
		require.NoError(t, err)
		defer f.Close()
		s := &socket{fd: int(f.Fd()), peer: nc.RemoteAddr()}
		s.setOptions(int64(c.keepAlive))
		get := func(level, option int) int {
			v, err := syscall.GetsockoptInt(s.fd, level, option)
			require.NoError(t, err)
			return v
		}
		require.Equal(t, 1, get(syscall.IPPROTO_TCP, syscall.TCP_NODELAY))
		require.Equal(t, c.probes, get(syscall.SOL_SOCKET, syscall.SO_KEEPALIVE))
		if c.probes == 1 {
			require.Equal(t, c.idle, get(syscall.IPPROTO_TCP, syscall.TCP_KEEPIDLE))
			require.Equal(t, c.interval, get(syscall.IPPROTO_TCP, syscall.TCP_KEEPINTVL))
			require.Equal(t, 3, get(syscall.IPPROTO_TCP, syscall.TCP_KEEPCNT))
		}
	}
	a, peer := socketPair(t)
	a.peer = peer.RemoteAddr()
	a.setOptions(300) // there are none
	v, err := syscall.GetsockoptInt(a.fd, syscall.SOL_SOCKET, syscall.SO_KEEPALIVE)
	require.NoError(t, err)
	require.Zero(t, v)
}
