package main

import (
	"bufio"
	"net"
	"testing"

	"github.com/redmoon-lua/redmoon/resp"
	"github.com/stretchr/testify/require"
)

// With --strict-keys, a client's script that uses an undeclared key fails; with =warn it runs.
func TestServeRefusesUndeclaredKeys(t *testing.T) {
	for flag, want := range map[string]string{
		"--strict-keys": `-ERR Script attempted to access the key "b", which is not in KEYS script: `, "--strict-keys=warn": "+OK\r\n",
	} {
		addrs, stop := serving(t, 1, "--addr", "127.0.0.1:0", flag)
		nc, err := net.Dial("tcp", addrs[0])
		require.NoError(t, err)
		_, err = nc.Write(resp.AppendCommand(nil, "EVAL", "return redis.call('SET', ARGV[1], 1)", "1", "a", "b"))
		require.NoError(t, err)
		line, err := bufio.NewReader(nc).ReadString('\n')
		require.NoError(t, err)
		require.Contains(t, line, want, flag)
		require.NoError(t, nc.Close())
		require.Zero(t, stop())
	}
}
