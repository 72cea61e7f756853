package lock

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The pauses double up to a bound, and a pause does not outlast the lease of the holder by much.
func TestThePausesOfAWaiter(t *testing.T) {
	o := &Options{RetryMin: 10 * time.Millisecond, RetryMax: 100 * time.Millisecond}
	var p pace
	for _, longest := range []time.Duration{10, 20, 40, 80, 100, 100} {
		p.next(o, time.Hour, 0)
		require.LessOrEqual(t, p.interval, longest*time.Millisecond)
		require.GreaterOrEqual(t, p.interval, longest*time.Millisecond/2)
	}
	for range 100 {
		p.next(o, 3*time.Millisecond, 0)
		require.GreaterOrEqual(t, p.interval, 3*time.Millisecond)
		require.LessOrEqual(t, p.interval, 13*time.Millisecond)
	}
	p.next(o, -1, 0)
	require.GreaterOrEqual(t, p.interval, 50*time.Millisecond, "a lock without an end")
	p.next(o, time.Hour, 1)
	require.LessOrEqual(t, p.interval, 10*time.Millisecond, "another place in the queue begins again")
}
