package main

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
)

// Redmoon does no worse than redis-server: in every attack at night, and in those that are quick at
// each landing.
func TestAttacks(t *testing.T) {
	tier.Landing(t)
	if runtime.GOOS != "linux" {
		t.Skip("the memory of a process is read from /proc")
	}
	redistest.Need(t)
	redmoon, err := build(t.TempDir())
	require.NoError(t, err)
	names := []string{"failed-load", "unread"}
	if tier.IsNightly() {
		names = nil
	}
	bad, err := run(redmoon, "", options{quick: !tier.IsNightly()}, names)
	require.NoError(t, err)
	require.Zero(t, bad, "see the lines that begin with WRONG")
}
