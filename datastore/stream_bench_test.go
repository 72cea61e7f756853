package datastore

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
)

// benchStream returns a stream of n entries, one per ms.
func benchStream(n int) *Stream {
	s, _ := New(Options{}).DB(0).StreamForWrite("s")
	pairs := []string{"user", "12345678", "amount", "250"}
	for i := range n {
		_ = s.Add(StreamID{uint64(i + 1), 0}, pairs)
	}
	return s
}

// BenchmarkStreamAddRange appends an entry and reads ten from a random position on, in streams of
// several sizes.
func BenchmarkStreamAddRange(b *testing.B) {
	for _, n := range []int{1e3, 1e5, 1e7} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := benchStream(n)
			r := rand.New(rand.NewPCG(3, 4))
			pairs := []string{"user", "12345678", "amount", "250"}
			var buf []string
			b.ReportAllocs()
			for b.Loop() {
				_ = s.Add(s.NextID(), pairs)
				left := 10
				s.Range(StreamID{uint64(r.IntN(n)), 0}, MaxStreamID, func(e *StreamEntry) bool {
					buf = e.AppendPairs(buf[:0])
					left--
					return left > 0
				})
			}
		})
	}
}

// BenchmarkStreamMemory reports the bytes of an entry.
func BenchmarkStreamMemory(b *testing.B) {
	const n = 1_000_000
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		s := benchStream(n)
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/n, "B/entry")
		runtime.KeepAlive(s)
	}
}

// BenchmarkStreamAck delivers entries to a consumer and acknowledges the oldest, with a backlog of
// a hundred thousand.
func BenchmarkStreamAck(b *testing.B) {
	const behind = 100_000
	s := benchStream(1)
	g := s.CreateGroup("g", StreamID{}, 0)
	c := g.CreateConsumer("c")
	i := uint64(0)
	b.ReportAllocs()
	for b.Loop() {
		i++
		g.Assign(c, StreamID{i, 0}, 1, 1)
		if i > behind {
			g.Ack(StreamID{i - behind, 0})
		}
	}
}
