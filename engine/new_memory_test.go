package engine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// An engine takes less than 64 KiB after its first script, and as little memory is allocated until
// then. A program that tests scripts makes many.
func TestAnEngineIsSmall(t *testing.T) {
	const bound = 64 << 10
	// What other tests have left behind may be freed meanwhile; then the result is too small.
	var use memoryUse
	for range 3 {
		m := measureEngines(100, func() *Engine { return runFirstScript(t) })
		use.live, use.allocated = max(use.live, m.live), max(use.allocated, m.allocated)
		use.goroutines = m.goroutines
	}
	require.Less(t, use.live, int64(bound), "live bytes")
	require.Less(t, use.allocated, int64(bound), "allocated bytes")
	require.Greater(t, use.live, int64(8<<10), "the measurement is wrong")
	require.LessOrEqual(t, use.goroutines, int64(2))
}
