package server

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLatencyGraph(t *testing.T) {
	var l latencyLog
	for i, ms := range []int64{101, 200, 300, 301, 500} {
		l.add("command", int64(10*i-9), ms)
	}
	l.add("command", 31, 400) // the longest of a second is kept
	require.Equal(t, []string{
		"command - high 500 ms, low 101 ms (all time high 500 ms)", strings.Repeat("-", 80),
		"    #",
		"   _|",
		"  #||",
		"_#|||",
		"     ",
		"54321",
		"00000",
		"sssss",
		"",
	}, strings.Split(l.Events["command"].Graph("command", 41), "\n"))
}

func TestLatencySamplesAreLimited(t *testing.T) {
	var l latencyLog
	for i := range int64(latencySamples + 5) {
		l.add("command", i, i)
	}
	e := l.Events["command"]
	require.Len(t, e.Samples, latencySamples)
	require.Equal(t, latencySample{5, 5}, e.Samples[0])
	require.Equal(t, int64(latencySamples+4), e.Max)
}

// The ends of the buckets are what LATENCY HISTOGRAM of Redis 7.0.15 shows, in us.
func TestHistogramBuckets(t *testing.T) {
	want := []int64{1, 2, 4, 8, 16, 33, 66, 132, 264, 528, 1056, 2113, 4227, 8454, 16908, 33816, 67633, 135266, 270532, 541065, 1082130}
	for i, us := range want {
		require.Equal(t, us, bucketEnd(i)/1000)
	}
	var h histogram
	h.add(0, 1)
	h.add(1, 1)
	h.add(33, 1)
	h.add(34, 16)
	h.add(1<<40, 1)
	buckets := h.Reply(20).Slice()[3].Slice()
	var got []int64
	for _, v := range buckets {
		got = append(got, v.MustInt())
	}
	require.Equal(t, []int64{1, 2, 33, 3, 66, 19, 1082130, 20}, got)
}

// The percentiles are what Redis 7.0.15 shows for a call of 15 us and one of 10,158 us.
func TestPercentiles(t *testing.T) {
	var h histogram
	require.True(t, h.Empty())
	h.add(15, 1)
	require.Equal(t, int64(14976), h.percentile(0))
	for _, p := range []float64{1e-6, 50, 100} {
		require.Equal(t, int64(15039), h.percentile(p))
	}
	h.add(0, 2)
	h.add(10158, 1)
	require.Equal(t, int64(1), h.percentile(50))
	require.Equal(t, int64(15039), h.percentile(63))
	require.Equal(t, int64(10158079), h.percentile(100))
	h.add(1<<40, 96)
	require.Equal(t, int64(1_002_438_655), h.percentile(50))
}
