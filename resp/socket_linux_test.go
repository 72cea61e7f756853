package resp

import (
	"bytes"
	"io"
	"net"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// socketPair returns a socket and its peer.
func socketPair(t *testing.T) (*socket, net.Conn) {
	t.Helper()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	near, far := &socket{fd: fds[0]}, &socket{fd: fds[1]}
	peer, err := far.waiting()
	require.NoError(t, err)
	require.NoError(t, syscall.Close(far.fd)) // peer has a descriptor of its own
	t.Cleanup(func() { near.free(); peer.Close() })
	return near, peer
}

// TestWritesOfTwoGoroutinesStayWhole: a debugger and the outbox write to a client that reads
// slowly, and their writes are not mixed.
func TestWritesOfTwoGoroutinesStayWhole(t *testing.T) {
	s, peer := socketPair(t)
	const size, times = 100_000, 100
	letters := []byte("abcd")
	var wg sync.WaitGroup
	for _, letter := range letters {
		wg.Go(func() {
			for range times {
				_, err := s.Write(bytes.Repeat([]byte{letter}, size))
				assert.NoError(t, err)
			}
		})
	}
	got := make([]byte, size)
	for range times * len(letters) {
		_, err := io.ReadFull(peer, got)
		require.NoError(t, err)
		require.Equal(t, size, bytes.Count(got, got[:1]))
	}
	wg.Wait()
}
