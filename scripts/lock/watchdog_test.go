package lock_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/everywhere"
	"github.com/redmoon-lua/redmoon/scripts/lock"
)

func watched(clock engine.Clock) lock.Options {
	return lock.Options{TTL: 3 * time.Second, Watchdog: true, Clock: clock}
}

func TestTheWatchdogRenews(t *testing.T) {
	e, clock := newEngine(t)
	l := newLock(t, e, watched(clock))
	a := try(t, l)
	for range 100 {
		clock.Advance(time.Second)
		require.NoError(t, a.Err())
		require.Greater(t, a.Until().Sub(clock.Now()), 1900*time.Millisecond, "it is renewed each third of the time")
	}
	release(t, a, lock.Released)
	b := try(t, newLock(t, e, lock.Options{TTL: 3 * time.Second, Jitter: -1, Clock: clock}))
	clock.Advance(3 * time.Second)
	require.ErrorIs(t, b.Err(), lock.ErrLost, "nobody renews it, also not the watchdog of the last holder")
}

func TestTheWatchdogReportsThatTheLockIsLost(t *testing.T) {
	e, clock := newEngine(t)
	l := newLock(t, e, watched(clock))
	a := try(t, l)
	ctx, cancel := a.Context(context.Background())
	defer cancel()
	_, err := e.Do(ctx, "DEL", l.Keys()[0])
	require.NoError(t, err)
	require.NoError(t, ctx.Err())
	b := try(t, l) // another has it
	clock.Advance(time.Second)
	<-ctx.Done()
	require.ErrorIs(t, context.Cause(ctx), lock.ErrLost)
	require.ErrorIs(t, a.Err(), lock.ErrLost)
	require.NoError(t, b.Err())
	release(t, b, lock.Released)
}

func TestTheWatchdogTriesAgainUntilTheTimeIsOver(t *testing.T) {
	e, clock := newEngine(t)
	f := &flaky{Client: e}
	l := newLock(t, f, watched(clock))
	a := try(t, l)
	f.lose.Store(3)
	clock.Advance(2500 * time.Millisecond)
	require.NoError(t, a.Err(), "it got through in the end")
	require.Negative(t, f.lose.Load())
	dead := &unreachable{Client: e}
	b := try(t, newLock(t, dead, watched(clock)).As(owner(t, l)))
	dead.on = true
	clock.Advance(2700 * time.Millisecond)
	require.NoError(t, b.Err())
	clock.Advance(time.Second)
	require.ErrorIs(t, b.Err(), lock.ErrLost)
	require.Greater(t, dead.calls, 3)
	require.NoError(t, a.Err())
	release(t, a, lock.StillHeld)
	dead.on = false
	release(t, b, lock.Released)
}

func owner(t *testing.T, l *lock.Lock) string {
	t.Helper()
	s, err := l.Status(context.Background())
	require.NoError(t, err)
	return s.Owner
}

// unreachable fails every call while it is on.
type unreachable struct {
	engine.Client
	on    bool
	calls int
}

func (d *unreachable) RunScript(ctx context.Context, s *engine.Script, keys, args []string) (engine.Value, error) {
	if d.on {
		d.calls++
		return engine.Value{}, errLine
	}
	return d.Client.RunScript(ctx, s, keys, args)
}

func TestAContextEndsWithTheLease(t *testing.T) {
	e, _ := newEngine(t)
	l := newLock(t, e, lock.Options{})
	a := try(t, l)
	ctx, cancel := a.Context(context.Background())
	defer cancel()
	parent, stop := context.WithCancelCause(context.Background())
	other, cancelOther := a.Context(parent)
	defer cancelOther()
	stop(errLine)
	<-other.Done()
	require.ErrorIs(t, context.Cause(other), errLine)
	require.NoError(t, ctx.Err())
	release(t, a, lock.Released)
	<-ctx.Done()
	require.ErrorIs(t, context.Cause(ctx), lock.ErrReleased)
	late, cancelLate := a.Context(context.Background())
	defer cancelLate()
	<-late.Done()
	require.ErrorIs(t, context.Cause(late), lock.ErrReleased)
}

func TestTheWatchdogEverywhere(t *testing.T) {
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		const ttl = time.Hour
		clock := engine.NewVirtualClock(clockStart) // of the watchdog; that of the server is its own
		l := newLock(t, p, lock.Options{TTL: ttl, Watchdog: true, Clock: clock})
		a := try(t, l)
		first := a.Until()
		for range 5 {
			p.Do(t, "PEXPIRE", l.Keys()[0], "1000000")
			clock.Advance(ttl / 3)
			require.Greater(t, p.Do(t, "PTTL", l.Keys()[0]).MustInt(), int64(1000000))
		}
		require.GreaterOrEqual(t, a.Until().Sub(first), ttl)
		require.NoError(t, a.Err())
		_, err := l.TryAcquire(context.Background(), 0)
		require.ErrorIs(t, err, lock.ErrNotAcquired)
		p.Do(t, "DEL", l.Keys()[0])
		clock.Advance(ttl / 3)
		<-a.Done()
		require.ErrorIs(t, a.Err(), lock.ErrLost)
	})
}

func TestTimesToLiveAreSpread(t *testing.T) {
	e, clock := newEngine(t)
	times := map[time.Duration]bool{}
	for range 200 {
		l := newLock(t, e, lock.Options{TTL: time.Second, Jitter: 0.5, Clock: clock})
		a := try(t, l)
		s, err := l.Status(context.Background())
		require.NoError(t, err)
		require.GreaterOrEqual(t, s.Remaining, time.Second)
		require.LessOrEqual(t, s.Remaining, 1500*time.Millisecond)
		times[s.Remaining] = true
		release(t, a, lock.Released)
	}
	require.Greater(t, len(times), 100)
}
