package resp_test

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/resp"
)

// CLIENT INFO shows the descriptor of a connection, as Redis does, and -1 if there is none.
func TestClientInfoShowsTheDescriptor(t *testing.T) {
	info := func(nc net.Conn) string {
		_, err := nc.Write(resp.AppendCommand(nil, "CLIENT", "INFO"))
		require.NoError(t, err)
		v, err := resp.NewDecoder(bufio.NewReader(nc)).Decode()
		require.NoError(t, err)
		return v.Text()
	}
	e, _, addr := serveDebug(t, nil)
	nc, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	defer nc.Close()
	require.Regexp(t, ` fd=[1-9]\d* name=`, info(nc))
	require.Contains(t, info(dial(t, memoryServer(t))), " fd=-1 name=")

	sess, err := e.NewSession()
	require.NoError(t, err)
	defer sess.Close()
	v, err := sess.Do(t.Context(), "CLIENT", "INFO")
	require.NoError(t, err)
	require.Contains(t, v.Text(), " fd=-1 name=")
}

// CLIENT INFO counts what a connection has read and sent before, and its commands.
func TestClientInfoShowsTheTraffic(t *testing.T) {
	e, err := engine.New(engine.Options{Server: "valkey-8.0"})
	require.NoError(t, err)
	defer e.Close()
	s := resp.NewServer(e, resp.Options{})
	defer s.Close()
	nc, err := s.Dial()
	require.NoError(t, err)
	defer nc.Close()
	in := resp.NewDecoder(bufio.NewReader(nc))
	sent, got := 0, 0
	send := func(args ...string) string {
		request := resp.AppendCommand(nil, args...)
		sent += len(request)
		_, err := nc.Write(request)
		require.NoError(t, err)
		v, err := in.Decode()
		require.NoError(t, err)
		before := got
		got += len(resp.Append(nil, v, 2))
		return strings.ReplaceAll(v.Text(), fmt.Sprintf("tot-net-in=%d tot-net-out=%d ", sent, before), "")
	}
	require.Regexp(t, "lib-ver= tot-cmds=0\n$", send("CLIENT", "INFO"))
	send("ECHO", strings.Repeat("x", 100_000))
	send("NOSUCH")
	send("EVAL", "redis.call('set', 'k', 1) return redis.call('get', 'k')", "0")
	require.Regexp(t, "lib-ver= tot-cmds=5\n$", send("CLIENT", "INFO"))
	send("MULTI")
	send("PING")
	send("EXEC")
	require.Regexp(t, "lib-ver= tot-cmds=9\n$", send("CLIENT", "INFO"))
}
