package redpacket_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

// BenchmarkGrab measures grabs of new users, with both policies for failed scripts.
func BenchmarkGrab(b *testing.B) {
	for name, policy := range map[string]engine.ScriptErrorPolicy{"keep": engine.KeepWrites, "rollback": engine.Rollback} {
		b.Run(name, func(b *testing.B) { benchmarkGrab(b, engine.Options{OnScriptError: policy}) })
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
