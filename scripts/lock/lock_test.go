package lock_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/lock"
	"github.com/stretchr/testify/require"
)

func newLock(t *testing.T) (*lock.Lock, *engine.VirtualClock) {
	t.Helper()
	clock := engine.NewVirtualClock(time.UnixMilli(1_700_000_000_000))
	e, err := engine.New(engine.Options{Clock: clock})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, e.Check(context.Background()))
		require.NoError(t, e.Close())
	})
	l, err := lock.New(e, "job")
	require.NoError(t, err)
	return l, clock
}

func TestOneHolderAtATime(t *testing.T) {
	ctx := context.Background()
	l, _ := newLock(t)
	a, err := l.Acquire(ctx, time.Second)
	require.NoError(t, err)
	_, err = l.Acquire(ctx, time.Second)
	require.ErrorIs(t, err, lock.ErrHeld)
	require.NoError(t, a.Release(ctx))
	require.ErrorIs(t, a.Release(ctx), lock.ErrNotHeld)
	_, err = l.Acquire(ctx, time.Second)
	require.NoError(t, err)
}

func TestLeaseEndsWithItsTime(t *testing.T) {
	ctx := context.Background()
	l, clock := newLock(t)
	a, err := l.Acquire(ctx, time.Second)
	require.NoError(t, err)
	clock.Advance(900 * time.Millisecond)
	require.NoError(t, a.Renew(ctx, time.Second))
	clock.Advance(900 * time.Millisecond)
	_, err = l.Acquire(ctx, time.Second)
	require.ErrorIs(t, err, lock.ErrHeld)
	clock.Advance(100 * time.Millisecond)
	b, err := l.Acquire(ctx, time.Second)
	require.NoError(t, err)
	require.ErrorIs(t, a.Renew(ctx, time.Second), lock.ErrNotHeld)
	require.ErrorIs(t, a.Release(ctx), lock.ErrNotHeld)
	require.NoError(t, b.Release(ctx))
}

func TestRefusals(t *testing.T) {
	ctx := context.Background()
	l, _ := newLock(t)
	_, err := l.Acquire(ctx, time.Microsecond)
	require.ErrorIs(t, err, lock.ErrTTL)
	a, err := l.Acquire(ctx, time.Millisecond)
	require.NoError(t, err)
	require.ErrorIs(t, a.Renew(ctx, 0), lock.ErrTTL)
	_, err = lock.New(nil, "a{b}")
	require.ErrorIs(t, err, lock.ErrName)
}

func TestMutualExclusion(t *testing.T) {
	l, _ := newLock(t)
	inside, total := 0, 0
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for done := 0; done < 100; {
				lease, err := l.Acquire(context.Background(), time.Minute)
				if errors.Is(err, lock.ErrHeld) {
					continue
				}
				inside++ // the race detector watches these too
				if inside != 1 || err != nil {
					t.Errorf("%d holders, %v", inside, err)
				}
				inside--
				total++
				done++
				if err := lease.Release(context.Background()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	require.Equal(t, 800, total)
}

func ExampleLock_Acquire() {
	ctx := context.Background()
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	l, err := lock.New(e, "nightly-report")
	if err != nil {
		panic(err)
	}
	lease, err := l.Acquire(ctx, 10*time.Second)
	fmt.Println(err)
	_, err = l.Acquire(ctx, 10*time.Second)
	fmt.Println(err)
	fmt.Println(lease.Release(ctx))
	// Output:
	// <nil>
	// lock: held by another
	// <nil>
}
