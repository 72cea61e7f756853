package redpacket_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

// BenchmarkGrab measures grabs of new users: as usual, with writes of failed scripts undone, with
// coverage, and with a profile.
func BenchmarkGrab(b *testing.B) {
	for _, bench := range []struct {
		name string
		o    engine.Options
	}{
		{"keep", engine.Options{}},
		{"rollback", engine.Options{OnScriptError: engine.Rollback}},
		{"coverage", engine.Options{Coverage: engine.NewCoverage()}},
		{"profile", engine.Options{Profile: engine.NewProfile()}},
	} {
		b.Run(bench.name, func(b *testing.B) { benchmarkGrab(b, bench.o) })
	}
}

func benchmarkGrab(b *testing.B, o engine.Options) {
	const size = 10_000 // packets of an activity
	ctx := context.Background()
	e, err := engine.New(o)
	require.NoError(b, err)
	defer e.Close()
	packets := make([]redpacket.Packet, size)
	for i := range packets {
		packets[i] = redpacket.Packet{ID: "p" + strconv.Itoa(i), Amount: 1}
	}
	var activity *redpacket.Activity
	b.ReportAllocs()
	for i := 0; i < b.N; i++ {
		if i%size == 0 {
			b.StopTimer()
			activity, err = redpacket.New(e, "a"+strconv.Itoa(i), redpacket.Options{})
			require.NoError(b, err)
			require.NoError(b, activity.Open(ctx, packets))
			b.StartTimer()
		}
		if _, err := activity.Grab(ctx, "u"+strconv.Itoa(i)); err != nil {
			b.Fatal(err)
		}
	}
}
