package main

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGrabOnAServer runs the demonstration over RESP, on redmoon's own server.
func TestGrabOnAServer(t *testing.T) {
	addrs, stop := serving(t, 1, "--addr", "127.0.0.1:0", "--requirepass", "secret")
	for _, flag := range []string{"--workers=4", "--cancel"} {
		var stdout, stderr bytes.Buffer
		std := &streams{out: &stdout, err: &stderr, interruptible: context.Background()}
		code := std.main([]string{"grab", "--packets", "300", "--target", "redis://:secret@" + addrs[0] + "/1", flag})
		require.Zero(t, code, "%s%s", &stdout, &stderr)
		require.Contains(t, stdout.String(), "on redis://"+addrs[0]+"/1\n")
		require.NotContains(t, stdout.String(), "FAILED")
	}
	require.Zero(t, stop())
}

func TestGrabOnAServerLeavesNoKeys(t *testing.T) {
	addrs, stop := serving(t, 1, "--addr", "127.0.0.1:0")
	std := &streams{out: &bytes.Buffer{}, err: &bytes.Buffer{}, interruptible: context.Background()}
	require.Zero(t, std.main([]string{"grab", "--packets", "10", "--target", "redis://" + addrs[0]}))
	require.Equal(t, "0", ask(t, "tcp", addrs[0], "DBSIZE"))
	require.Zero(t, stop())
}

func TestGrabCanBeInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stderr bytes.Buffer
	std := &streams{out: &bytes.Buffer{}, err: &stderr, interruptible: ctx}
	require.Equal(t, 130, std.main([]string{"grab", "--packets", "10"}))
	require.Equal(t, "redmoon: interrupted\n", stderr.String())
}
