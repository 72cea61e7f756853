package main

import (
	"testing"
	"time"
)

// BenchmarkFloor runs the red packet script on the bare VM.
func BenchmarkFloor(b *testing.B) { benchmark(b, floor(wallClock(), false)) }

// BenchmarkInProcess runs the red packet script on an engine, with one caller.
func BenchmarkInProcess(b *testing.B) { benchmark(b, inProcess(wallClock(), 1)) }

func benchmark(b *testing.B, run func(workload, int) (took time.Duration, err error)) {
	b.ReportAllocs()
	took, err := run(workloads()[0], b.N)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(took.Nanoseconds())/float64(b.N), "ns/grab")
}
