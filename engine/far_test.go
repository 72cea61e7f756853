package engine_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/stretchr/testify/require"
)

// countingClock counts the timers that are set and those that fire, and records the last wait.
type countingClock struct {
	*engine.VirtualClock
	set, rung atomic.Int64

	mu     sync.Mutex
	latest time.Duration
}

// AfterFunc implements engine.Clock.
func (c *countingClock) AfterFunc(d time.Duration, f func()) func() {
	c.set.Add(1)
	c.mu.Lock()
	c.latest = d
	c.mu.Unlock()
	return c.VirtualClock.AfterFunc(d, func() { c.rung.Add(1); f() })
}

func (c *countingClock) last() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.latest
}

// farTimes are commands with an expiry time or time-out after the year 2262, beyond the range of a
// time.Duration.
var farTimes = [][]any{
	{"SET", "k", "v", "EX", "9999999999"},
	{"SET", "k", "v", "PXAT", "18446744073709"},
	{"SET", "k", "v", "PX", "900719925474099"},
	{"SET", "k", "v", "PXAT", "9223372036854775807"},
	{"SET", "k", "v", "EXAT", "9223372036854775"},
	{"SETEX", "k", "9999999999", "v"},
	{"PSETEX", "k", "900719925474099", "v"},
	{"EXPIREAT", "there", "9223372036854775"},
	{"GETEX", "there", "PX", "9000000000000000000"},
	{"RESTORE", "k", "9223372036854775807", "\x00\x05hello\x0a\x00cr\xdfve4 \x0a", "ABSTTL"},
	{"HPEXPIREAT", "h", "70368744177663", "FIELDS", "1", "f"},
}

func TestAFarExpiryWakesNobody(t *testing.T) {
	ctx := context.Background()
	for _, far := range farTimes {
		clock := &countingClock{VirtualClock: engine.NewVirtualClock(time.Unix(1_700_000_000, 0))}
		e, err := engine.New(engine.Options{Clock: clock, Server: "8.0"})
		require.NoError(t, err)
		for _, line := range [][]any{{"SET", "there", "v"}, {"HSET", "h", "f", "v"}, far} {
			v, err := e.Do(ctx, line...)
			require.NoError(t, err, far)
			require.False(t, v.IsError(), "%v: %v", far, v)
		}
		set := clock.set.Load()
		for range 100 {
			_, err := e.Do(ctx, "PING")
			require.NoError(t, err)
			clock.Advance(24 * time.Hour)
		}
		require.Zero(t, clock.rung.Load(), far)
		require.Equal(t, set, clock.set.Load(), far)
		require.Greater(t, clock.last(), 200*365*24*time.Hour, far)

		_, err = e.Do(ctx, "SET", "near", "v", "PX", 100)
		require.NoError(t, err)
		clock.Advance(101 * time.Millisecond)
		require.EqualValues(t, 1, clock.rung.Load(), far)
		v, err := e.Do(ctx, "DBSIZE")
		require.NoError(t, err)
		require.LessOrEqual(t, v.MustInt(), int64(3), "a near key behind a far one goes: %v", far)
		v, err = e.Do(ctx, "EXISTS", "near")
		require.NoError(t, err)
		require.Zero(t, v.MustInt())
		require.NoError(t, e.Close())
	}
}

// At any time of the clock, the remaining time to live is right.
func TestAnEngineRunsAtTheEndOfTime(t *testing.T) {
	ctx := context.Background()
	clock := &countingClock{VirtualClock: engine.NewVirtualClock(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC))}
	e, err := engine.New(engine.Options{Clock: clock})
	require.NoError(t, err)
	defer e.Close()
	_, err = e.Do(ctx, "SET", "k", "v", "PX", 1000)
	require.NoError(t, err)
	require.Equal(t, 1001*time.Millisecond, clock.last())
	clock.Advance(time.Second)
	v, err := e.Do(ctx, "PTTL", "k")
	require.NoError(t, err)
	require.Zero(t, v.MustInt())
	clock.Advance(time.Millisecond)
	v, err = e.Do(ctx, "DBSIZE")
	require.NoError(t, err)
	require.Zero(t, v.MustInt())
}
