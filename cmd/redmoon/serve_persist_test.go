package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A server keeps its data set in the working directory: an append-only file, or a dump if there are
// save points.
func TestServeKeepsItsData(t *testing.T) {
	for _, config := range []string{"appendonly=yes", "save=3600 1"} {
		t.Chdir(t.TempDir())
		for round, want := range []string{"1", "2"} {
			addrs, stop := serving(t, 1, "--addr", "127.0.0.1:0", "--config", config)
			require.Equal(t, want, ask(t, "tcp", addrs[0], "INCR", "rounds"), "%s, round %d", config, round)
			require.Zero(t, stop())
		}
	}
}
