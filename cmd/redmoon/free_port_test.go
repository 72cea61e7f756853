package main

import (
	"net"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
)

// freePort returns a port of 127.0.0.1 that no other test gets before t ends, as the port of a
// server or of a cluster bus. [redistest.FreePort] only returns ports that are free on all
// addresses, so t holds both ports on another address.
func freePort(t *testing.T) string {
	t.Helper()
	for range 1000 {
		port, err := redistest.FreePort()
		require.NoError(t, err)
		if runtime.GOOS != "linux" || holdPort(t, port, 0) && holdPort(t, port, 10_000) {
			return port
		}
	}
	t.Fatal("no port is free")
	return ""
}

// holdPort takes the port that is higher by so much, on an address that no server uses. It returns
// whether 127.0.0.1 has it free.
func holdPort(t *testing.T, port string, higher int) bool {
	t.Helper()
	n, err := strconv.Atoi(port)
	require.NoError(t, err)
	at := strconv.Itoa(n + higher)
	held, err := net.Listen("tcp", net.JoinHostPort("127.0.0.2", at))
	if err != nil {
		return false
	}
	t.Cleanup(func() { _ = held.Close() })
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", at))
	if err != nil {
		return false
	}
	require.NoError(t, l.Close())
	return true
}
