package redlock_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/goredis"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
	"github.com/redmoon-lua/redmoon/scripts/lock"
	"github.com/redmoon-lua/redmoon/scripts/lock/redlock"
)

// nodes are five independent servers that can be lost.
type nodes struct {
	clients []engine.Client
	kill    func(i int)
	restart func(i int) // empty; nil: it cannot
}

func onNodes(t *testing.T, f func(t *testing.T, n nodes)) {
	const count = 5
	for name, followed := range map[string][count]string{
		"engines": {}, "engines of other servers": {"redis-7.2", "redis-8.4", "redis-8.6", "valkey-9.0", "valkey-9.1"},
	} {
		t.Run(name, func(t *testing.T) {
			var n nodes
			var list []*engine.Engine
			for i := range count {
				e, err := engine.New(engine.Options{Server: followed[i]})
				require.NoError(t, err)
				t.Cleanup(func() { require.NoError(t, e.Close()) })
				list, n.clients = append(list, e), append(n.clients, e)
			}
			n.kill = func(i int) { require.NoError(t, list[i].Close()) }
			f(t, n)
		})
	}
	t.Run("redis-server", func(t *testing.T) {
		redistest.Need(t)
		var n nodes
		var list []*redistest.Server
		for range count {
			s, err := redistest.Start()
			require.NoError(t, err)
			t.Cleanup(s.Stop)
			rdb := redis.NewClient(&redis.Options{Addr: s.Addr, MaxRetries: -1, DialerRetryTimeout: time.Millisecond,
				ReadTimeout: patience.Limit})
			t.Cleanup(func() { require.NoError(t, rdb.Close()) })
			list, n.clients = append(list, s), append(n.clients, goredis.New(rdb))
		}
		n.kill = func(i int) { list[i].Kill() }
		n.restart = func(i int) { require.NoError(t, list[i].Restart()) }
		f(t, n)
	})
}

func newLock(t *testing.T, clients []engine.Client, o redlock.Options) *redlock.Lock {
	t.Helper()
	if o.TTL == 0 { // nothing ends because the machine is busy
		o.TTL = time.Hour
		if o.NodeTimeout == 0 {
			o.NodeTimeout = patience.Limit
		}
	}
	l, err := redlock.New(clients, "job", o)
	require.NoError(t, err)
	return l
}

// try takes the lock or fails the test.
func try(t *testing.T, l *redlock.Lock) *lock.Lease {
	t.Helper()
	lease, err := l.TryAcquire(context.Background(), 0)
	require.NoError(t, err)
	return lease
}

func release(t *testing.T, lease *lock.Lease, want lock.Outcome) {
	t.Helper()
	got, err := lease.Release(context.Background())
	require.Equal(t, want.String(), got.String())
	if want == lock.NotHeld {
		require.ErrorIs(t, err, lock.ErrNotHeld)
	} else {
		require.NoError(t, err)
	}
}

func TestOneHolderAtATime(t *testing.T) {
	ctx := context.Background()
	onNodes(t, func(t *testing.T, n nodes) {
		l, other := newLock(t, n.clients, redlock.Options{}), newLock(t, n.clients, redlock.Options{})
		before := time.Now()
		a := try(t, l)
		require.Greater(t, a.Until().Sub(before), 55*time.Minute)
		for _, c := range n.clients {
			v, err := c.DoStrings(ctx, "GET", l.Keys()[0])
			require.NoError(t, err)
			require.Equal(t, a.ID(), v.Text())
		}
		_, err := other.TryAcquire(ctx, 0)
		require.ErrorIs(t, err, lock.ErrNotAcquired)
		_, err = other.TryAcquire(ctx, time.Millisecond)
		require.ErrorIs(t, err, lock.ErrNotAcquired)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NoError(t, a.Renew(ctx))
		release(t, a, lock.Released)
		require.ErrorIs(t, a.Err(), lock.ErrReleased)
		require.ErrorIs(t, a.Renew(ctx), lock.ErrReleased)
		release(t, a, lock.NotHeld)
		b := try(t, other)
		release(t, a, lock.NotHeld)
		require.NoError(t, b.Renew(ctx))
		release(t, b, lock.Released)
	})
}

func TestTwoOfFiveMayBeDownAndNotThree(t *testing.T) {
	ctx := context.Background()
	onNodes(t, func(t *testing.T, n nodes) {
		l, other := newLock(t, n.clients, redlock.Options{}), newLock(t, n.clients, redlock.Options{})
		early := try(t, l) // with all five
		n.kill(1)
		n.kill(3)
		require.NoError(t, early.Renew(ctx))
		_, err := other.TryAcquire(ctx, 0)
		require.ErrorIs(t, err, lock.ErrNotAcquired)
		release(t, early, lock.Released)

		a := try(t, l)
		_, err = other.TryAcquire(ctx, 0)
		require.ErrorIs(t, err, lock.ErrNotAcquired)
		require.NoError(t, a.Renew(ctx))
		release(t, a, lock.Released)

		b := try(t, l)
		n.kill(0)
		require.ErrorIs(t, b.Renew(ctx), redlock.ErrNoQuorum)
		require.NoError(t, b.Err(), "its time is not over")
		_, err = other.Acquire(ctx)
		require.ErrorIs(t, err, redlock.ErrNoQuorum)
		require.NotErrorIs(t, err, lock.ErrNotAcquired)
		outcome, err := b.Release(ctx)
		require.ErrorIs(t, err, redlock.ErrNoQuorum)
		require.Equal(t, lock.Unknown, outcome)
		for _, i := range []int{2, 4} { // what could be had is given back, by the one who was refused too
			v, err := n.clients[i].DoStrings(ctx, "EXISTS", l.Keys()[0])
			require.NoError(t, err)
			require.Zero(t, v.MustInt())
		}
		if n.restart == nil {
			return
		}
		n.restart(3)
		var c *lock.Lease
		require.NoError(t, patience.Try(func() (err error) { // go-redis remembers for a while that it was down
			c, err = l.TryAcquire(ctx, 0)
			return err
		}))
		release(t, c, lock.Released)
	})
}

// untilLongEnough calls f with a duration, and with longer ones, until it returns nil. The first is
// enough if the machine is not busy.
func untilLongEnough(t *testing.T, d time.Duration, f func(time.Duration) error) {
	t.Helper()
	for err := f(d); err != nil; err = f(d) {
		d *= 2
		require.Less(t, d, patience.Limit, "%v", err)
	}
}

// forget removes what a call that was too slow has left on nodes.
func forget(t *testing.T, l *redlock.Lock, nodes []engine.Client) {
	t.Helper()
	for _, c := range nodes {
		_, err := c.DoStrings(context.Background(), "DEL", l.Keys()[0])
		require.NoError(t, err)
	}
}

func TestTheWatchdogRenewsUntilMostNodesAreLost(t *testing.T) {
	ctx := context.Background()
	onNodes(t, func(t *testing.T, n nodes) {
		var l *redlock.Lock
		var work context.Context
		untilLongEnough(t, 300*time.Millisecond, func(ttl time.Duration) error {
			l = newLock(t, n.clients, redlock.Options{TTL: ttl, NodeTimeout: ttl / 3, Watchdog: true})
			forget(t, l, n.clients)
			a, err := l.TryAcquire(ctx, 0)
			if err != nil {
				return err
			}
			var cancel func()
			work, cancel = a.Context(ctx)
			t.Cleanup(cancel)
			first := a.Until()
			patience.Until(t, func() bool { return work.Err() != nil || a.Until().Sub(first) >= 2*ttl }, "it is not renewed")
			return work.Err()
		})
		for i := range 3 {
			_, err := n.clients[i].DoStrings(ctx, "DEL", l.Keys()[0])
			require.NoError(t, err)
		}
		<-work.Done()
		require.ErrorIs(t, context.Cause(work), lock.ErrLost)
	})
}

func TestMutualExclusion(t *testing.T) {
	const callers, turns = 4, 3
	onNodes(t, func(t *testing.T, n nodes) {
		inside, done := 0, 0 // the race detector watches these too
		var wg sync.WaitGroup
		for range callers {
			l := newLock(t, n.clients, redlock.Options{RetryMin: time.Millisecond, RetryMax: 200 * time.Millisecond})
			wg.Go(func() {
				for range turns {
					lease, err := l.Acquire(context.Background())
					if err != nil {
						t.Error(err)
						return
					}
					inside++
					if inside != 1 {
						t.Errorf("%d inside", inside)
					}
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
	})
}

// hanging returns only when it is released, regardless of the context.
type hanging struct {
	engine.Client
	end chan struct{}
}

func (h hanging) DoStrings(context.Context, ...string) (engine.Value, error) {
	<-h.end
	return engine.Value{}, errors.New("too late")
}

func (h hanging) RunScript(context.Context, *engine.Script, []string, []string) (engine.Value, error) {
	return h.DoStrings(context.Background())
}

func TestANodeThatHangsIsOneThatIsDown(t *testing.T) {
	onNodes(t, func(t *testing.T, n nodes) {
		end := make(chan struct{})
		defer close(end)
		n.clients[0], n.clients[1] = hanging{end: end}, hanging{end: end}
		untilLongEnough(t, 500*time.Millisecond, func(timeout time.Duration) error {
			l := newLock(t, n.clients, redlock.Options{TTL: time.Hour, NodeTimeout: timeout})
			forget(t, l, n.clients[2:])
			a, err := l.TryAcquire(context.Background(), 0)
			if err != nil {
				return err
			}
			renewed := a.Renew(context.Background())
			out, err := a.Release(context.Background())
			if err == nil && out != lock.Released {
				err = fmt.Errorf("release: %v", out)
			}
			return errors.Join(renewed, err)
		})
		n.clients[2] = hanging{end: end}
		_, err := newLock(t, n.clients, redlock.Options{NodeTimeout: 100 * time.Millisecond}).TryAcquire(context.Background(), 0)
		require.ErrorIs(t, err, redlock.ErrNoQuorum)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

func TestRefusals(t *testing.T) {
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	defer e.Close()
	one := []engine.Client{e}
	_, err = redlock.New(one, "a{b", redlock.Options{})
	require.ErrorIs(t, err, lock.ErrName)
	_, err = redlock.New(nil, "a", redlock.Options{})
	require.ErrorIs(t, err, lock.ErrOptions)
	for _, o := range []redlock.Options{
		{TTL: -1}, {TTL: time.Millisecond}, {NodeTimeout: -1}, {TTL: time.Second, NodeTimeout: time.Second + 1}, {Jitter: 2},
		{RetryMin: time.Second, RetryMax: time.Millisecond}, {RetryMin: -1},
	} {
		_, err = redlock.New(one, "a", o)
		require.ErrorIs(t, err, lock.ErrOptions, "%+v", o)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = newLock(t, one, redlock.Options{}).Acquire(ctx)
	require.ErrorIs(t, err, lock.ErrNotAcquired)
	require.ErrorIs(t, err, context.Canceled)
}

func Example() {
	ctx := context.Background()
	var nodes []engine.Client // on servers: goredis.New(redis.NewClient(…)) for each
	var engines []*engine.Engine
	for range 5 {
		e, err := engine.New(engine.Options{})
		if err != nil {
			panic(err)
		}
		defer e.Close()
		engines, nodes = append(engines, e), append(nodes, e)
	}
	l, err := redlock.New(nodes, "nightly-report", redlock.Options{TTL: 10 * time.Second})
	if err != nil {
		panic(err)
	}
	engines[0].Close()
	engines[1].Close()
	lease, err := l.Acquire(ctx)
	fmt.Println(err)
	_, err = l.TryAcquire(ctx, 0)
	fmt.Println(err)
	fmt.Println(lease.Release(ctx))

	engines[2].Close()
	_, err = l.Acquire(ctx)
	fmt.Println(errors.Is(err, redlock.ErrNoQuorum))
	// Output:
	// <nil>
	// lock: not acquired
	// released <nil>
	// true
}
