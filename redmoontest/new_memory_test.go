package redmoontest

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

const firstScript = `
local stock = tonumber(redis.call('GET', KEYS[1]) or '0')
redis.call('DECRBY', KEYS[1], ARGV[1])
return {'ok', stock - ARGV[1]}`

// runFirstScript returns a new engine that has run one command and one script.
func runFirstScript(tb testing.TB) *Engine {
	e := New(tb)
	e.MustDo("SET", "stock", 10)
	require.Equal(tb, int64(7), e.MustEval(firstScript, []string{"stock"}, 3).Slice()[1].MustInt())
	return e
}

// An engine for a test, with what it remembers of its first calls, takes less than 64 KiB.
func TestAnEngineIsSmall(t *testing.T) {
	const bound, engines = 64 << 10, 100
	live, allocated := int64(0), int64(0)
	for range 3 { // what other tests have left behind may be freed meanwhile; then the result is too small
		t.Run("engines", func(t *testing.T) {
			runFirstScript(t)
			kept := make([]*Engine, engines)
			before := memStats()
			for i := range kept {
				kept[i] = runFirstScript(t)
			}
			after := memStats()
			live = max(live, (int64(after.HeapAlloc)-int64(before.HeapAlloc))/engines)
			allocated = max(allocated, int64(after.TotalAlloc-before.TotalAlloc)/engines)
			runtime.KeepAlive(kept)
		})
	}
	require.Less(t, live, int64(bound), "live bytes")
	require.Less(t, allocated, int64(bound), "allocated bytes")
	require.Greater(t, live, int64(8<<10), "the measurement is wrong")
}

// memStats returns the statistics after garbage has been collected. What is in a sync.Pool is freed
// by the second collection.
func memStats() (s runtime.MemStats) {
	for range 3 {
		runtime.GC()
	}
	runtime.ReadMemStats(&s)
	return s
}

// BenchmarkNewAndFirstScript measures a new engine, a SET, its first script, and its end with the
// check of the keyspace.
func BenchmarkNewAndFirstScript(b *testing.B) {
	b.ReportAllocs()
	for range b.N {
		runFirstScript(b).Close()
	}
}
