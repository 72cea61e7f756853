package main

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
)

// Redmoon does no worse than redis-server in every attack.
func TestAttacks(t *testing.T) {
	tier.Landing(t)
	if runtime.GOOS != "linux" {
		t.Skip("the memory of a process is read from /proc")
	}
	redistest.Need(t)
	redmoon, err := build(t.TempDir())
	require.NoError(t, err)
	bad, err := run(redmoon, "", options{quick: !tier.IsNightly()}, nil)
	require.NoError(t, err)
	require.Zero(t, bad, "see the lines that begin with WRONG")
}
