package engine

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// A client that sends scripts with a number of its own in each makes the engine keep their sources.
// A script that is run again stays compiled.
func TestScriptsThatRanOnceKeepTheirSourceOnly(t *testing.T) {
	const scripts = 40_000
	ctx := context.Background()
	e, err := New(Options{})
	require.NoError(t, err)
	defer e.Close()
	live := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	const often = "return 'often'"
	_, err = e.Do(ctx, "EVAL", often, 0)
	require.NoError(t, err)
	before := live()
	for i := range scripts {
		_, err := e.Do(ctx, "EVAL", fmt.Sprintf("return %d", i), 0)
		require.NoError(t, err)
		if i%1000 == 0 {
			_, err := e.Do(ctx, "EVAL", often, 0)
			require.NoError(t, err)
		}
	}
	require.Less(t, (live()-before)/scripts, uint64(700))
	require.False(t, e.scripts.bySource[often].Dropped())
	require.True(t, e.scripts.bySource["return 0"].Dropped())
	require.Equal(t, scripts+1, e.scripts.Len())
	v, err := e.Do(ctx, "EVAL", "return 0", 0)
	require.NoError(t, err)
	require.EqualValues(t, 0, v.MustInt())
	require.False(t, e.scripts.bySource["return 0"].Dropped())
}
