package engine

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// firstScript is a script as an author writes it for a first test.
var firstScript = NewScript(`
local stock = tonumber(redis.call('GET', KEYS[1]) or '0')
local want = tonumber(ARGV[1])
if stock < want then
  return redis.error_reply('SOLDOUT only ' .. stock .. ' left')
end
redis.call('DECRBY', KEYS[1], want)
return {'ok', stock - want}
`)

// runFirstScript returns a new engine that has run one command and one script.
func runFirstScript(tb testing.TB) *Engine {
	e, err := New(Options{})
	require.NoError(tb, err)
	_, err = e.DoStrings(context.Background(), "SET", "stock", "10")
	require.NoError(tb, err)
	v, err := e.RunScript(context.Background(), firstScript, []string{"stock"}, []string{"3"})
	require.NoError(tb, err)
	require.Equal(tb, int64(7), v.Slice()[1].MustInt())
	return e
}

// BenchmarkNewEngine measures a new engine and its end.
func BenchmarkNewEngine(b *testing.B) {
	b.ReportAllocs()
	for range b.N {
		e, err := New(Options{})
		if err != nil {
			b.Fatal(err)
		}
		e.Close()
	}
}

// BenchmarkNewAndFirstScript measures a new engine, a SET, its first script, and its end.
func BenchmarkNewAndFirstScript(b *testing.B) {
	b.ReportAllocs()
	for range b.N {
		runFirstScript(b).Close()
	}
}

// BenchmarkThousandEngines is the same for a thousand engines that are there together. It reports
// what one of them takes.
func BenchmarkThousandEngines(b *testing.B) {
	var use memoryUse
	for range b.N {
		use = measureEngines(1000, func() *Engine { return runFirstScript(b) })
	}
	b.ReportMetric(float64(use.live), "live-B/engine")
	b.ReportMetric(float64(use.allocated), "allocated-B/engine")
	b.ReportMetric(float64(use.stacks), "stack-B/engine")
	b.ReportMetric(float64(use.objects), "objects/engine")
	b.ReportMetric(float64(use.goroutines), "goroutines/engine")
}

// memoryUse is what each of several engines takes, in bytes where it is not a number.
type memoryUse struct{ live, allocated, stacks, objects, goroutines int64 }

// measureEngines measures n engines that are there together, and closes them.
func measureEngines(n int, start func() *Engine) memoryUse {
	start().Close() // what all engines share is made once
	engines := make([]*Engine, n)
	before, running := memStats(), runtime.NumGoroutine()
	for i := range engines {
		engines[i] = start()
	}
	after := memStats()
	each := func(after, before uint64) int64 { return (int64(after) - int64(before)) / int64(n) }
	use := memoryUse{
		live: each(after.HeapAlloc, before.HeapAlloc), allocated: each(after.TotalAlloc, before.TotalAlloc),
		stacks: each(after.StackInuse, before.StackInuse), objects: each(after.HeapObjects, before.HeapObjects),
		goroutines: int64(runtime.NumGoroutine()-running) / int64(n),
	}
	for _, e := range engines {
		e.Close()
	}
	return use
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
