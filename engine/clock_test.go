package engine_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
)

// While one goroutine is in a timer of its Advance, another advances: neither moves the clock back.
func TestAdvancesFromSeveralGoroutinesAddUp(t *testing.T) {
	start := time.Unix(1000, 0)
	c := engine.NewVirtualClock(start)
	var last atomic.Int64
	look := func() {
		now := c.Now().UnixNano()
		for before := last.Load(); before < now && !last.CompareAndSwap(before, now); before = last.Load() {
		}
		before := last.Load() // before the look at the clock: others raise it meanwhile
		if c.Now().UnixNano() < before {
			t.Error("time went back")
		}
	}
	for i := range 1000 {
		c.AfterFunc(time.Duration(i)*time.Millisecond, look)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				c.Advance(time.Millisecond)
				look()
			}
		})
	}
	wg.Wait()
	require.Equal(t, start.Add(800*time.Millisecond), c.Now())
}

func TestAdvanceDoesNotUndoASleep(t *testing.T) {
	start := time.Unix(1000, 0)
	c := engine.NewVirtualClock(start)
	c.AfterFunc(time.Second, func() { c.Sleep(time.Hour) })
	c.Advance(time.Minute)
	require.Equal(t, start.Add(time.Hour+time.Second), c.Now())
	c.Sleep(-time.Hour)
	require.Equal(t, start.Add(time.Hour+time.Second), c.Now())
}

func TestAdvanceRefusesToGoBack(t *testing.T) {
	c := engine.NewVirtualClock(time.Unix(1000, 0))
	require.PanicsWithValue(t, "redmoon: VirtualClock.Advance(-1h0m0s): time does not go back", func() { c.Advance(-time.Hour) })
	require.Equal(t, time.Unix(1000, 0), c.Now())
}

func TestATimerMayNotAdvanceItsClock(t *testing.T) {
	c := engine.NewVirtualClock(time.Unix(1000, 0))
	c.AfterFunc(time.Second, func() { c.Advance(time.Second) })
	require.PanicsWithValue(t, "redmoon: VirtualClock.Advance is called by a timer of the same clock", func() { c.Advance(time.Minute) })
}

func TestSetMovesAVirtualClockBack(t *testing.T) {
	c := engine.NewVirtualClock(time.Unix(1000, 0))
	var calls []time.Time
	c.AfterFunc(time.Second, func() { calls = append(calls, c.Now()) })
	c.Set(time.Unix(900, 0))
	require.Equal(t, time.Unix(900, 0), c.Now())
	c.Set(time.Unix(1000, 0))
	require.Empty(t, calls)
	c.Set(time.Unix(2000, 0))
	require.Equal(t, []time.Time{time.Unix(1001, 0)}, calls, "called on the way, at its time")
}
