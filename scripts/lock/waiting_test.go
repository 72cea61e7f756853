package lock_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/everywhere"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/scripts/lock"
)

// got is how an acquisition ended.
type got struct {
	lease *lock.Lease
	err   error
}

func inBackground(f func() (*lock.Lease, error)) <-chan got {
	ch := make(chan got, 1)
	go func() {
		lease, err := f()
		ch <- got{lease, err}
	}()
	return ch
}

// long is a time that advanceUntil does not let pass, however slow the goroutine is that it waits
// for.
const long = 10_000 * time.Hour

// advanceUntil moves the clock in small steps until ch has something.
func advanceUntil[T any](clock *engine.VirtualClock, ch <-chan T) T {
	for {
		select {
		case v := <-ch:
			return v
		default:
			clock.Advance(time.Millisecond)
			runtime.Gosched()
		}
	}
}

func TestWaitingEndsWithTheRelease(t *testing.T) {
	ctx := context.Background()
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		l, other := newLock(t, p, lock.Options{}), newLock(t, p, lock.Options{})
		for _, by := range []*lock.Lock{l, other} { // woken in process, or by asking
			a := try(t, l)
			ch := inBackground(func() (*lock.Lease, error) { return by.Acquire(ctx) })
			release(t, a, lock.Released)
			b := <-ch
			require.NoError(t, b.err)
			release(t, b.lease, lock.Released)
		}
	})
}

func TestWaitingEndsWithTheHoldersTime(t *testing.T) {
	e, clock := newEngine(t)
	o := lock.Options{TTL: time.Second, Jitter: -1, Clock: clock, RetryMin: 10 * time.Millisecond, RetryMax: time.Hour}
	a := try(t, newLock(t, e, o))
	start := clock.Now()
	o.TTL = long
	next := newLock(t, e, o)
	b := advanceUntil(clock, inBackground(func() (*lock.Lease, error) { return next.Acquire(context.Background()) }))
	require.NoError(t, b.err)
	require.Greater(t, b.lease.Token(), a.Token())
	require.GreaterOrEqual(t, clock.Now().Sub(start), time.Second, "it asks when that is over, whatever RetryMax says")
	release(t, b.lease, lock.Released)
}

func TestWaitingEndsWithItsTimeOrContext(t *testing.T) {
	e, clock := newEngine(t)
	for _, fair := range []bool{false, true} {
		l := newLock(t, e, lock.Options{TTL: long, Clock: clock, Fair: fair})
		a := try(t, l)
		b := advanceUntil(clock, inBackground(func() (*lock.Lease, error) { return l.TryAcquire(context.Background(), time.Second) }))
		require.ErrorIs(t, b.err, lock.ErrNotAcquired)
		require.ErrorIs(t, b.err, context.DeadlineExceeded)
		require.Nil(t, b.lease)

		ctx, cancel := context.WithCancelCause(context.Background())
		ch := inBackground(func() (*lock.Lease, error) { return l.Acquire(ctx) })
		cancel(errLine)
		c := <-ch
		require.ErrorIs(t, c.err, lock.ErrNotAcquired)
		require.ErrorIs(t, c.err, errLine)
		s, err := l.Status(context.Background())
		require.NoError(t, err)
		require.Zero(t, s.Waiters, "they have left the queue")
		release(t, a, lock.Released)
	}
}

// queue waits until so many wait for a fair lock.
func queue(t *testing.T, l *lock.Lock, want int) {
	t.Helper()
	require.NoError(t, patience.Try(func() error {
		s, err := l.Status(context.Background())
		if err == nil && s.Waiters != want {
			err = errors.New("not all are in the queue")
		}
		return err
	}))
}

func TestAFairLockServesInOrder(t *testing.T) {
	ctx := context.Background()
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		o := lock.Options{Fair: true, WaiterTimeout: time.Hour, RetryMax: 50 * time.Millisecond}
		first := newLock(t, p, o)
		a := try(t, first)
		const callers = 8
		turns := make(chan int, callers)
		done := make(chan error, callers)
		for i := range callers {
			l := first
			if i%2 == 1 { // of another process
				l = newLock(t, p, o)
			}
			go func() {
				lease, err := l.Acquire(ctx)
				if err == nil {
					turns <- i
					_, err = lease.Release(ctx)
				}
				done <- err
			}()
			queue(t, first, i+1)
		}
		_, err := newLock(t, p, lock.Options{}).TryAcquire(ctx, 0)
		require.ErrorIs(t, err, lock.ErrNotAcquired)
		release(t, a, lock.Released)
		for i := range callers {
			require.NoError(t, <-done)
			require.Equal(t, i, <-turns)
		}
		require.Equal(t, int64(1), exists(t, p, first.Keys()...), "only its state is left")
	})
}

func TestNobodyOvertakesTheQueue(t *testing.T) {
	ctx := context.Background()
	e, clock := newEngine(t)
	l := newLock(t, e, lock.Options{Clock: clock, Fair: true, WaiterTimeout: time.Second})
	a := try(t, l)
	ask(t, e, l, "w", "queued", 0)
	ask(t, e, l, "v", "queued", 1)
	release(t, a, lock.Released)
	_, err := l.TryAcquire(ctx, 0)
	require.ErrorIs(t, err, lock.ErrNotAcquired, "it is free, but others wait")
	ask(t, e, l, "v", "queued", 1)
	clock.Advance(999 * time.Millisecond)
	ask(t, e, l, "v", "queued", 1)
	clock.Advance(time.Millisecond)
	ask(t, e, l, "v", "acquired", 1) // w was silent for too long
	ask(t, e, l, "w", "queued", 0)
	s, err := l.Status(ctx)
	require.NoError(t, err)
	require.Equal(t, "v", s.Owner)
	require.Equal(t, 1, s.Waiters)
	clock.Advance(time.Minute)
	require.Equal(t, int64(1), exists(t, e, l.Keys()...), "a queue that all have left goes by itself")
}

func exists(t *testing.T, d engine.Doer, keys ...string) int64 {
	t.Helper()
	v, err := d.DoStrings(context.Background(), append([]string{"EXISTS"}, keys...)...)
	require.NoError(t, err)
	return v.MustInt()
}

// ask asks once for the lock, as a waiter that may be silent for a second. It requires the given
// outcome and number: how many waiters come before or, if the lock is acquired, how many holds.
func ask(t *testing.T, e *engine.Engine, l *lock.Lock, lease, outcome string, number int64) {
	t.Helper()
	v, err := e.RunScript(context.Background(), lock.AcquireScript(), l.Keys(), []string{lease, lease, "1000", "1000"})
	require.NoError(t, err)
	list := v.Slice()
	require.Equal(t, outcome, list[0].Text())
	require.Equal(t, number, list[2].MustInt())
}

func TestAnOwnerWhoWaitsTwiceEntersTwice(t *testing.T) {
	e, clock := newEngine(t)
	l := newLock(t, e, lock.Options{TTL: long, WaiterTimeout: long, Clock: clock, Fair: true})
	a := try(t, l)
	ann := l.As("ann")
	var both []<-chan got
	for i := range 2 {
		both = append(both, inBackground(func() (*lock.Lease, error) { return ann.Acquire(context.Background()) }))
		queue(t, l, i+1)
	}
	release(t, a, lock.Released)
	one, two := advanceUntil(clock, both[0]), advanceUntil(clock, both[1])
	require.NoError(t, errors.Join(one.err, two.err))
	require.Equal(t, one.lease.Token(), two.lease.Token())
	queue(t, l, 0)
	release(t, one.lease, lock.StillHeld)
	release(t, two.lease, lock.Released)
}
