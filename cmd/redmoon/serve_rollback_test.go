package main

import (
	"bufio"
	"io"
	"net"
	"testing"

	"github.com/redmoon-lua/redmoon/resp"
	"github.com/stretchr/testify/require"
)

// With --on-script-error rollback a failed script leaves nothing. The error is that of Redis, to
// the last byte, with both policies.
func TestServeUndoesFailedScripts(t *testing.T) {
	replies := map[string]string{}
	for policy, want := range map[string]string{"keep": "$1\r\n1\r\n", "rollback": "$-1\r\n"} {
		addrs, stop := serving(t, 1, "--addr", "127.0.0.1:0", "--on-script-error", policy)
		nc, err := net.Dial("tcp", addrs[0])
		require.NoError(t, err)
		b := resp.AppendCommand(nil, "EVAL", "redis.call('SET', 'a', 1) error('x')", "0")
		_, err = nc.Write(resp.AppendCommand(b, "GET", "a"))
		require.NoError(t, err)
		r := bufio.NewReader(nc)
		replies[policy], err = r.ReadString('\n')
		require.NoError(t, err)
		got := make([]byte, len(want))
		_, err = io.ReadFull(r, got)
		require.NoError(t, err)
		require.Equal(t, want, string(got), policy)
		require.NoError(t, nc.Close())
		require.Zero(t, stop())
	}
	require.Equal(t, replies["keep"], replies["rollback"])
	require.Contains(t, replies["keep"], "-ERR user_script:1: x script: ")
}
