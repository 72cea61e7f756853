package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
)

// held returns an engine whose times to live stand still, and its clock.
func held(t *testing.T) (*engine.Engine, *engine.VirtualClock) {
	clock := engine.NewVirtualClock(time.Unix(1_700_000_000, 0))
	e := newEngine(t, engine.Options{Clock: clock, Server: "7.4"})
	require.NoError(t, enginedoor.Of(e).HoldTTLs(true))
	return e, clock
}

// Times to live stand still while the clock moves, and EXPIREAT and TIME follow the clock.
func TestHeldTTLs(t *testing.T) {
	e, clock := held(t)
	do(t, e, "SET", "k", "v", "EX", 60)
	do(t, e, "HSET", "h", "f", 1, "g", 2)
	do(t, e, "HPEXPIRE", "h", 5000, "FIELDS", 1, "f")
	clock.Advance(time.Hour)
	require.Equal(t, int64(60_000), do(t, e, "PTTL", "k").MustInt())
	require.Equal(t, int64(5000), do(t, e, "HPTTL", "h", "FIELDS", 1, "f").Slice()[0].MustInt())
	require.Equal(t, "1700003600", do(t, e, "TIME").Slice()[0].Text())
	require.Equal(t, int64(1_700_003_660), do(t, e, "EXPIRETIME", "k").MustInt())
	do(t, e, "EXPIREAT", "k", 1_700_003_610)
	require.Equal(t, int64(10_000), do(t, e, "PTTL", "k").MustInt())
	clock.Set(time.Unix(1_600_000_000, 0))
	require.Equal(t, int64(10_000), do(t, e, "PTTL", "k").MustInt(), "the clock may go back")

	require.NoError(t, enginedoor.Of(e).Age(5000))
	require.Equal(t, int64(5000), do(t, e, "PTTL", "k").MustInt())
	require.Equal(t, int64(1), do(t, e, "HLEN", "h").MustInt(), "the field expires at the end of its time")
	require.NoError(t, enginedoor.Of(e).Age(5000))
	require.Equal(t, int64(0), do(t, e, "EXISTS", "k").MustInt())
	require.NoError(t, e.Check(context.Background()))
}

// With hold off, a key expires when its time to live reaches 0, at the next request.
func TestTTLsThatFollowTheClock(t *testing.T) {
	e, clock := held(t)
	do(t, e, "SET", "k", "v", "EX", 60)
	clock.Advance(time.Hour)
	require.NoError(t, enginedoor.Of(e).HoldTTLs(false))
	clock.Advance(59 * time.Second)
	require.Equal(t, int64(1), do(t, e, "TTL", "k").MustInt())
	clock.Set(time.Unix(1_600_000_000, 0))
	require.Equal(t, int64(1000), do(t, e, "PTTL", "k").MustInt(), "a clock that goes back lengthens nothing")
	clock.Advance(time.Second)
	require.Equal(t, int64(0), do(t, e, "EXISTS", "k").MustInt())
	require.Contains(t, do(t, e, "INFO", "stats").Text(), "expired_keys:1\r\n")
}

// A closed engine can be opened again with everything that it held.
func TestReopen(t *testing.T) {
	e, clock := held(t)
	_, err := enginedoor.Of(e).Reopen()
	require.EqualError(t, err, "redmoon: the engine is not closed")
	do(t, e, "SET", "k", "v", "EX", 60)
	sha := do(t, e, "SCRIPT", "LOAD", "return 7").Text()
	do(t, e, "FUNCTION", "LOAD", "#!lua name=lib\nredis.register_function('f', function() return 8 end)")
	do(t, e, "CONFIG", "SET", "maxmemory", "1gb")
	require.NoError(t, e.Close())
	clock.Advance(time.Hour)

	next, err := enginedoor.Of(e).Reopen()
	require.NoError(t, err)
	defer next.Close()
	require.Equal(t, int64(60_000), do(t, next, "PTTL", "k").MustInt())
	require.Equal(t, int64(7), do(t, next, "EVALSHA", sha, 0).MustInt())
	require.Equal(t, int64(8), do(t, next, "FCALL", "f", 0).MustInt())
	require.Equal(t, "1073741824", do(t, next, "CONFIG", "GET", "maxmemory").Slice()[1].Text())
}

// The commands of a step see each other's changes and nobody else's, and serve who waits.
func TestAtomically(t *testing.T) {
	e := newEngine(t, engine.Options{})
	waiting := begin(t, e, func() (engine.Value, error) { return e.Do(context.Background(), "BLPOP", "l", 0) })
	do(t, e, "ACL", "SETUSER", "default", "-@all", "+info")
	require.NoError(t, enginedoor.Of(e).Atomically(func(do func(db int, args ...string) engine.Value) {
		require.True(t, do(0, "GET", "k").IsNil())
		require.Equal(t, int64(2), do(0, "RPUSH", "l", "a", "b").MustInt())
		require.Equal(t, int64(2), do(0, "LLEN", "l").MustInt(), "the client that waits comes later")
		do(3, "SET", "k", "of 3")
		require.True(t, do(0, "GET", "k").IsNil())
		require.True(t, do(0, "BLPOP", "none", "0").IsNil(), "nothing waits")
		require.True(t, do(0, "NOSUCH").IsError())
	}))
	require.Equal(t, "a", (<-waiting).v.Slice()[1].Text())
	require.NoError(t, e.Close())
	require.ErrorIs(t, enginedoor.Of(e).Atomically(nil), engine.ErrClosed)
}
