package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/resp"
	"github.com/stretchr/testify/require"
)

// serving runs "redmoon serve" with args and returns its addresses. stop ends it and returns the
// exit code.
func serving(t *testing.T, listeners int, args ...string) (addrs []string, stop func() int) {
	t.Helper()
	addrs, cancel, code := startServing(t, listeners, args...)
	return addrs, func() int { cancel(); return <-code }
}

// startServing is like serving, for a server that may end by itself.
func startServing(t *testing.T, listeners int, args ...string) (addrs []string, interrupt func(), exit <-chan int) {
	t.Helper()
	r, w := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	std := &streams{in: strings.NewReader(""), out: w, err: &bytes.Buffer{}, interruptible: ctx}
	code := make(chan int, 1)
	go func() {
		code <- std.main(append([]string{"serve", "--config", "save="}, args...)) // nothing is saved in this folder
		_ = w.Close()
	}()
	lines := bufio.NewScanner(r)
	for len(addrs) < listeners {
		require.True(t, lines.Scan())
		line := lines.Text()
		if _, addr, ok := strings.Cut(line, "listening on "); ok {
			addrs = append(addrs, addr)
		} else if _, port, ok := strings.Cut(line, "Running mode=standalone, port="); ok {
			addrs = append(addrs, "127.0.0.1:"+strings.TrimSuffix(port, "."))
		} else if _, path, ok := strings.Cut(line, "ready to accept connections at "); ok {
			addrs = append(addrs, path)
		} else if _, addr, ok := strings.Cut(line, "debug adapter on "); ok {
			addrs = append(addrs, addr)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, r) }()
	return addrs, cancel, code
}

func TestServeEndsOnShutdown(t *testing.T) {
	addrs, interrupt, exit := startServing(t, 1, "--addr", "127.0.0.1:0", "--config", "save=")
	defer interrupt()
	nc, err := net.Dial("tcp", addrs[0])
	require.NoError(t, err)
	defer nc.Close()
	_, err = nc.Write(resp.AppendCommand(resp.AppendCommand(nil, "SHUTDOWN", "NOSAVE"), "PING"))
	require.NoError(t, err)
	rest, err := io.ReadAll(nc)
	require.NoError(t, err)
	require.Empty(t, rest, "Redis closes the connection without a word")
	require.Zero(t, <-exit)
}

func ask(t *testing.T, network, addr string, args ...string) string {
	t.Helper()
	nc, err := net.Dial(network, addr)
	require.NoError(t, err)
	defer nc.Close()
	_, err = nc.Write(resp.AppendCommand(nil, args...))
	require.NoError(t, err)
	v, err := resp.NewDecoder(nc).Decode()
	require.NoError(t, err)
	return v.Text()
}

func TestServeListensOnBothUntilInterrupted(t *testing.T) {
	dir, err := os.MkdirTemp("", "redmoon") // t.TempDir may be too long for a socket's path
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "s")
	addrs, stop := serving(t, 2, "--addr", "127.0.0.1:0", "--unix", path)
	require.Equal(t, path, addrs[1])
	require.Equal(t, "PONG", ask(t, "tcp", addrs[0], "PING"))
	require.Equal(t, "PONG", ask(t, "unix", addrs[1], "PING"))
	require.Zero(t, stop())
	_, err = net.Dial("tcp", addrs[0])
	require.Error(t, err)
}

func TestServeNeedsThePassword(t *testing.T) {
	addrs, stop := serving(t, 1, "--addr", "127.0.0.1:0", "--requirepass", "secret")
	require.Equal(t, "NOAUTH Authentication required.", ask(t, "tcp", addrs[0], "PING"))
	require.Equal(t, "OK", ask(t, "tcp", addrs[0], "AUTH", "secret"))
	require.Zero(t, stop())
}

func TestServeNeedsAnAddress(t *testing.T) {
	var stderr bytes.Buffer
	std := &streams{out: io.Discard, err: &stderr, interruptible: context.Background()}
	require.Equal(t, 1, std.main([]string{"serve", "--addr", ""}))
	require.Contains(t, stderr.String(), "# Configured to not listen anywhere, exiting.\n")
	require.Equal(t, 1, std.main([]string{"serve", "--addr", "127.0.0.1:0", "--config", "nosuch=1"}))
}
