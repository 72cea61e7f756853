package lock_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/everywhere"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/scripts/lock"
)

func newLock(t testing.TB, c engine.Client, o lock.Options) *lock.Lock {
	t.Helper()
	if o.TTL == 0 {
		o.TTL = time.Hour // no lease ends because the machine is busy
	}
	l, err := lock.New(c, "job", o)
	require.NoError(t, err)
	return l
}

var clockStart = time.UnixMilli(1_700_000_000_000)

// newEngine is an engine on a clock of the test's own.
func newEngine(t testing.TB) (*engine.Engine, *engine.VirtualClock) {
	t.Helper()
	clock := engine.NewVirtualClock(clockStart)
	e, err := engine.New(engine.Options{Clock: clock})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, e.Check(context.Background()))
		require.NoError(t, e.Close())
	})
	return e, clock
}

// try takes the lock or fails the test.
func try(t testing.TB, l *lock.Lock) *lock.Lease {
	t.Helper()
	lease, err := l.TryAcquire(context.Background(), 0)
	require.NoError(t, err)
	return lease
}

func release(t testing.TB, lease *lock.Lease, want lock.Outcome) {
	t.Helper()
	got, err := lease.Release(context.Background())
	require.Equal(t, want.String(), got.String())
	if want == lock.NotHeld {
		require.ErrorIs(t, err, lock.ErrNotHeld)
	} else {
		require.NoError(t, err)
	}
}

// pass lets d pass, on the place's clock or by waiting until f no longer fails.
func pass(t testing.TB, p everywhere.Place, d time.Duration, f func() error) {
	t.Helper()
	if p.Advance != nil {
		p.Advance(d + time.Millisecond) // a key is still there in the millisecond in which it expires
		require.NoError(t, f())
		return
	}
	require.NoError(t, patience.Try(f))
}

func TestOneHolderAtATime(t *testing.T) {
	ctx := context.Background()
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		l := newLock(t, p, lock.Options{})
		s, err := l.Status(ctx)
		require.NoError(t, err)
		require.Equal(t, lock.Status{}, s)

		a := try(t, l)
		require.Equal(t, lock.Acquired, a.Outcome())
		require.NoError(t, a.Err())
		_, err = l.TryAcquire(ctx, 0)
		require.ErrorIs(t, err, lock.ErrNotAcquired)
		s, err = l.Status(ctx)
		require.NoError(t, err)
		require.Positive(t, s.Remaining)
		require.LessOrEqual(t, s.Remaining, 66*time.Minute)
		s.Remaining = 0
		require.Equal(t, lock.Status{Held: true, Owner: a.ID(), Token: a.Token(), Holds: 1}, s)

		release(t, a, lock.Released)
		require.ErrorIs(t, a.Err(), lock.ErrReleased)
		require.ErrorIs(t, a.Err(), lock.ErrNotHeld)
		require.ErrorIs(t, a.Renew(ctx), lock.ErrReleased)
		b := try(t, l)
		require.Greater(t, b.Token(), a.Token())
		release(t, b, lock.Released)
		require.Equal(t, int64(0), p.Do(t, "EXISTS", l.Keys()[0]).MustInt())
		s, err = l.Status(ctx)
		require.NoError(t, err)
		require.Equal(t, lock.Status{Token: b.Token()}, s)
	})
}

func TestALeaseLastsHalfAMinuteByDefault(t *testing.T) {
	e, clock := newEngine(t)
	l, err := lock.New(e, "job", lock.Options{Clock: clock})
	require.NoError(t, err)
	a := try(t, l)
	s, err := l.Status(context.Background())
	require.NoError(t, err)
	require.GreaterOrEqual(t, s.Remaining, 30*time.Second)
	require.LessOrEqual(t, s.Remaining, 33*time.Second)
	release(t, a, lock.Released)
}

func TestReleaseMayBeRepeated(t *testing.T) {
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		l := newLock(t, p, lock.Options{})
		a := try(t, l)
		release(t, a, lock.Released)
		release(t, a, lock.Released)
		b := try(t, l)
		release(t, a, lock.Released)
		require.NoError(t, b.Renew(context.Background()), "it has not released what another holds")
		release(t, b, lock.Released)
		release(t, a, lock.NotHeld)
	})
}

func TestALeaseEndsWithItsTime(t *testing.T) {
	ctx := context.Background()
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		l := newLock(t, p, lock.Options{TTL: 100 * time.Millisecond, Jitter: -1})
		a := try(t, l)
		var b *lock.Lease
		longer := newLock(t, p, lock.Options{})
		pass(t, p, 100*time.Millisecond, func() (err error) {
			b, err = longer.TryAcquire(ctx, 0)
			return err
		})
		require.Greater(t, b.Token(), a.Token())
		require.ErrorIs(t, a.Renew(ctx), lock.ErrLost)
		<-a.Done()
		require.ErrorIs(t, a.Err(), lock.ErrLost)
		release(t, a, lock.NotHeld)
		_, err := l.TryAcquire(ctx, 0)
		require.ErrorIs(t, err, lock.ErrNotAcquired)
	})
}

func TestRenewalLengthensALease(t *testing.T) {
	ctx := context.Background()
	e, clock := newEngine(t)
	l := newLock(t, e, lock.Options{TTL: time.Second, Jitter: -1, Clock: clock})
	a := try(t, l)
	require.Equal(t, clock.Now().Add(990*time.Millisecond), a.Until())
	for range 5 {
		clock.Advance(900 * time.Millisecond)
		require.NoError(t, a.Renew(ctx))
		require.Equal(t, clock.Now().Add(990*time.Millisecond), a.Until())
	}
	clock.Advance(989 * time.Millisecond)
	require.NoError(t, a.Err())
	clock.Advance(time.Millisecond)
	require.ErrorIs(t, a.Err(), lock.ErrLost, "a little before the server's time is over")
	_, err := l.TryAcquire(ctx, 0)
	require.ErrorIs(t, err, lock.ErrNotAcquired)
	clock.Advance(11 * time.Millisecond)
	release(t, try(t, l), lock.Released)
}

func TestTheOwnerEntersAgain(t *testing.T) {
	ctx := context.Background()
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		l := newLock(t, p, lock.Options{})
		ann, bob := l.As("ann"), l.As("bob")
		a1, a2 := try(t, ann), try(t, ann)
		require.Equal(t, lock.Reentered, a2.Outcome())
		require.Equal(t, a1.Token(), a2.Token())
		_, err := bob.TryAcquire(ctx, 0)
		require.ErrorIs(t, err, lock.ErrNotAcquired)
		s, err := l.Status(ctx)
		require.NoError(t, err)
		require.Equal(t, "ann", s.Owner)
		require.Equal(t, 2, s.Holds)

		release(t, a1, lock.StillHeld)
		release(t, a1, lock.StillHeld)
		_, err = bob.TryAcquire(ctx, 0)
		require.ErrorIs(t, err, lock.ErrNotAcquired)
		require.NoError(t, a2.Renew(ctx))
		require.ErrorIs(t, a1.Renew(ctx), lock.ErrNotHeld)
		release(t, a2, lock.Released)
		b := try(t, bob)
		require.Greater(t, b.Token(), a1.Token())
		_, err = bob.As("").TryAcquire(ctx, 0)
		require.ErrorIs(t, err, lock.ErrNotAcquired)
		release(t, b, lock.Released)
	})
}

// flaky loses the reply to every call for a while: the script runs, and the caller gets an error.
type flaky struct {
	engine.Client
	lose atomic.Int32
}

var errLine = errors.New("the line is dead")

func (f *flaky) RunScript(ctx context.Context, s *engine.Script, keys, args []string) (engine.Value, error) {
	v, err := f.Client.RunScript(ctx, s, keys, args)
	if f.lose.Add(-1) >= 0 {
		return engine.Value{}, errLine
	}
	return v, err
}

func TestALostReplyLeavesNothing(t *testing.T) {
	ctx := context.Background()
	for _, fair := range []bool{false, true} {
		e, _ := newEngine(t)
		f := &flaky{Client: e}
		l := newLock(t, f, lock.Options{Fair: fair})
		f.lose.Store(1)
		_, err := l.Acquire(ctx)
		require.ErrorIs(t, err, errLine)
		require.NotErrorIs(t, err, lock.ErrNotAcquired)
		a := try(t, l) // what was taken without the caller's knowing was given back
		f.lose.Store(1)
		_, err = l.Acquire(ctx)
		require.ErrorIs(t, err, errLine)
		s, err := l.Status(ctx)
		require.NoError(t, err)
		require.Zero(t, s.Waiters)

		f.lose.Store(1)
		_, err = a.Release(ctx)
		require.ErrorIs(t, err, errLine)
		require.ErrorIs(t, a.Err(), lock.ErrReleased)
		release(t, a, lock.Released)
	}
}

func TestACallMayRunTwice(t *testing.T) {
	// go-redis repeats a call whose connection failed.
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		l := newLock(t, twice{p}, lock.Options{Fair: true})
		a := try(t, l.As("ann"))
		require.Equal(t, lock.Acquired, a.Outcome())
		require.NoError(t, a.Renew(context.Background()))
		_, err := l.TryAcquire(context.Background(), time.Millisecond)
		require.ErrorIs(t, err, lock.ErrNotAcquired)
		s, err := l.Status(context.Background())
		require.NoError(t, err)
		require.Equal(t, 1, s.Holds)
		release(t, a, lock.Released)
	})
}

type twice struct{ engine.Client }

func (r twice) RunScript(ctx context.Context, s *engine.Script, keys, args []string) (engine.Value, error) {
	if v, err := r.Client.RunScript(ctx, s, keys, args); err != nil {
		return v, err
	}
	return r.Client.RunScript(ctx, s, keys, args)
}

func TestTokensRiseWhenTheDataIsLost(t *testing.T) {
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		l := newLock(t, p, lock.Options{})
		a := try(t, l)
		p.Do(t, "DEL", l.Keys()[0])
		p.Do(t, "DEL", l.Keys()[1])
		if p.Advance != nil {
			p.Advance(time.Microsecond)
		}
		b := try(t, l)
		require.Greater(t, b.Token(), a.Token())
		release(t, a, lock.NotHeld)
	})
}

func TestTokensRiseWhenTheClockGoesBack(t *testing.T) {
	e, clock := newEngine(t)
	l := newLock(t, e, lock.Options{})
	last := int64(0)
	for range 5 {
		a := try(t, l)
		require.Greater(t, a.Token(), last)
		last = a.Token()
		release(t, a, lock.Released)
		clock.Sleep(-time.Hour)
	}
}

func TestMutualExclusion(t *testing.T) {
	const callers, turns = 50, 6
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		for _, fair := range []bool{false, true} {
			l := newLock(t, p, lock.Options{Fair: fair, RetryMax: 20 * time.Millisecond})
			inside, done, last := 0, 0, int64(0) // the race detector watches these too
			var wg sync.WaitGroup
			for range callers {
				wg.Go(func() {
					for range turns {
						lease, err := l.Acquire(context.Background())
						if err != nil {
							t.Error(err)
							return
						}
						inside++
						if inside != 1 || lease.Token() <= last {
							t.Errorf("%d inside, token %d after %d", inside, lease.Token(), last)
						}
						last = lease.Token()
						done++
						inside--
						if _, err := lease.Release(context.Background()); err != nil {
							t.Error(err)
						}
					}
				})
			}
			wg.Wait()
			require.Equal(t, callers*turns, done)
			s, err := l.Status(context.Background())
			require.NoError(t, err)
			require.Equal(t, lock.Status{Token: last}, s)
		}
	})
}

func TestRefusals(t *testing.T) {
	for _, name := range []string{"", "a{b", "a}b"} {
		_, err := lock.New(nil, name, lock.Options{})
		require.ErrorIs(t, err, lock.ErrName)
		_, err = lock.NewRegister(nil, name)
		require.ErrorIs(t, err, lock.ErrName)
	}
	for _, o := range []lock.Options{
		{TTL: -1}, {TTL: 9 * time.Millisecond}, {WaiterTimeout: time.Millisecond}, {RetryMin: -1}, {Jitter: 1.5},
		{RetryMin: time.Second, RetryMax: time.Millisecond},
	} {
		_, err := lock.New(nil, "a", o)
		require.ErrorIs(t, err, lock.ErrOptions, "%+v", o)
	}
	e, _ := newEngine(t)
	l := newLock(t, e, lock.Options{})
	_, err := e.Do(context.Background(), "SET", l.Keys()[0], "x")
	require.NoError(t, err)
	_, err = l.TryAcquire(context.Background(), 0)
	require.ErrorIs(t, err, engine.ErrWrongType)
}

func TestOutcomesHaveNames(t *testing.T) {
	for o := lock.Acquired; o <= lock.Stale; o++ {
		require.NotEqual(t, lock.Unknown.String(), o.String())
	}
	require.Equal(t, "Outcome(11)", (lock.Stale + 1).String())
}
