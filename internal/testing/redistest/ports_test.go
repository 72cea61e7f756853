package redistest

import (
	"net"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// A port that is held is given to nobody, and a server may have it on any address.
func TestHeldPorts(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux shares a port so")
	}
	port := HeldPort(t)
	_, ok := Hold(port)
	require.False(t, ok)
	require.Error(t, isFree(":"+port))
	for _, host := range []string{"127.0.0.1", "0.0.0.0", ""} {
		l, err := net.Listen("tcp", net.JoinHostPort(host, port))
		require.NoError(t, err, host)
		require.NoError(t, l.Close())
	}
}
