package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/stretchr/testify/require"
)

// result is what a call on another goroutine has returned.
type result struct {
	v   engine.Value
	err error
}

// begin runs a command on another goroutine and returns when the engine has one more blocked
// client.
func begin(t *testing.T, e *engine.Engine, do func() (engine.Value, error)) <-chan result {
	t.Helper()
	before := blocked(t, e)
	out := make(chan result, 1)
	go func() {
		v, err := do()
		out <- result{v, err}
	}()
	for blocked(t, e) == before {
		select {
		case r := <-out:
			t.Fatalf("answered at once: %v %v", r.v, r.err)
		default:
		}
	}
	return out
}

func blocked(t *testing.T, e *engine.Engine) (n int) {
	t.Helper()
	v, err := e.Do(context.Background(), "EVAL_RO", `return string.match(redis.call('info', 'clients'), 'blocked_clients:(%d+)')`, 0)
	require.NoError(t, err)
	_, err = fmt.Sscan(v.Text(), &n)
	require.NoError(t, err)
	return n
}

func blpop(ctx context.Context, e *engine.Engine, timeout any) func() (engine.Value, error) {
	return func() (engine.Value, error) { return e.Do(ctx, "BLPOP", "k", timeout) }
}

func TestTimeOutsFollowTheVirtualClock(t *testing.T) {
	clock := engine.NewVirtualClock(time.UnixMilli(1_000_000))
	e := newEngine(t, engine.Options{Clock: clock})
	ctx := context.Background()
	long := begin(t, e, blpop(ctx, e, 3600))
	short := begin(t, e, blpop(ctx, e, 0.5))
	clock.Advance(499 * time.Millisecond)
	require.Equal(t, 2, blocked(t, e))
	clock.Advance(time.Millisecond)
	require.Equal(t, 1, blocked(t, e))
	require.Equal(t, engine.KindNilArray, (<-short).v.Kind())
	_, err := e.Do(ctx, "RPUSH", "k", "x")
	require.NoError(t, err)
	require.Equal(t, []string{"k", "x"}, (<-long).v.Strings())
	clock.Advance(24 * time.Hour)
	require.Equal(t, 0, blocked(t, e))
}

func TestCallsOnTheEngineWaitSideBySide(t *testing.T) {
	e := newEngine(t, engine.Options{})
	ctx := context.Background()
	first := begin(t, e, blpop(ctx, e, 0))
	second := begin(t, e, blpop(ctx, e, 0))
	n, err := e.Do(ctx, "RPUSH", "k", "a", "b", "c")
	require.NoError(t, err)
	require.EqualValues(t, 3, n.MustInt())
	require.Equal(t, []string{"k", "a"}, (<-first).v.Strings())
	require.Equal(t, []string{"k", "b"}, (<-second).v.Strings())
}

func TestAContextBoundsTheWait(t *testing.T) {
	e := newEngine(t, engine.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	gone := begin(t, e, blpop(ctx, e, 0))
	stays := begin(t, e, blpop(context.Background(), e, 0))
	cancel()
	require.ErrorIs(t, (<-gone).err, context.Canceled)
	require.Equal(t, 1, blocked(t, e))
	_, err := e.Do(context.Background(), "RPUSH", "k", "x")
	require.NoError(t, err)
	require.Equal(t, []string{"k", "x"}, (<-stays).v.Strings())
}

func TestCloseAnswersAllThatWait(t *testing.T) {
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s, err := e.NewSession()
	require.NoError(t, err)
	calls := []<-chan result{
		begin(t, e, blpop(context.Background(), e, 0)),
		begin(t, e, blpop(ctx, e, 10)),
		begin(t, e, func() (engine.Value, error) { return s.Do(ctx, "BZPOPMIN", "z", 0) }),
		begin(t, e, func() (engine.Value, error) {
			_, err := e.Pipeline().Do("PING").Do("BLPOP", "k", 0).Exec(ctx)
			return engine.Value{}, err
		}),
	}
	require.NoError(t, e.Close())
	for _, c := range calls {
		require.ErrorIs(t, (<-c).err, engine.ErrClosed)
	}
}

func TestASessionsCallsWaitBehindOneAnother(t *testing.T) {
	e := newEngine(t, engine.Options{})
	ctx := context.Background()
	s, err := e.NewSession()
	require.NoError(t, err)
	first := begin(t, e, func() (engine.Value, error) { return s.Do(ctx, "BLPOP", "k", 0) })
	behind := make(chan result, 3)
	queued := make(chan struct{}, 3)
	for range 3 {
		go func() {
			queued <- struct{}{}
			v, err := s.Do(ctx, "BLPOP", "k", 0)
			behind <- result{v, err}
		}()
		<-queued
	}
	require.Equal(t, 1, blocked(t, e))
	for i := range 4 {
		_, err := e.Do(ctx, "RPUSH", "k", i)
		require.NoError(t, err)
	}
	require.Equal(t, []string{"k", "0"}, (<-first).v.Strings())
	got := map[string]bool{}
	for range 3 {
		r := <-behind
		require.NoError(t, r.err)
		got[r.v.Slice()[1].Text()] = true
	}
	require.Equal(t, map[string]bool{"1": true, "2": true, "3": true}, got)
}

func TestAWaitingSessionMayBeClosed(t *testing.T) {
	e := newEngine(t, engine.Options{})
	ctx := context.Background()
	s, err := e.NewSession()
	require.NoError(t, err)
	call := begin(t, e, func() (engine.Value, error) { return s.Do(ctx, "BLPOP", "k", 0) })
	require.NoError(t, s.Close())
	require.ErrorIs(t, (<-call).err, engine.ErrSessionClosed)
	_, err = e.Do(ctx, "RPUSH", "k", "x")
	require.NoError(t, err)
	n, err := e.Do(ctx, "LLEN", "k")
	require.NoError(t, err)
	require.EqualValues(t, 1, n.MustInt())
}

func TestAPipelineGoesOnWhenItsWaitHasEnded(t *testing.T) {
	e := newEngine(t, engine.Options{})
	ctx := context.Background()
	s, err := e.NewSession()
	require.NoError(t, err)
	p := s.Pipeline().Do("SET", "a", 1).Do("BLPOP", "k", 0).Do("INCR", "a").Do("BLPOP", "k", 0).Do("INCR", "a")
	var replies []engine.Value
	done := begin(t, e, func() (engine.Value, error) {
		var err error
		replies, err = p.Exec(ctx)
		return engine.Value{}, err
	})
	v, err := e.Do(ctx, "INCRBY", "a", 10)
	require.NoError(t, err)
	require.EqualValues(t, 11, v.MustInt())
	for range 2 {
		_, err = e.Do(ctx, "RPUSH", "k", "x")
		require.NoError(t, err)
	}
	require.NoError(t, (<-done).err)
	require.Len(t, replies, 5)
	require.EqualValues(t, 13, replies[4].MustInt())
}

func TestACancelledPipelineReportsWhatRan(t *testing.T) {
	e := newEngine(t, engine.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	var replies []engine.Value
	done := begin(t, e, func() (engine.Value, error) {
		var err error
		replies, err = e.Pipeline().Do("INCR", "a").Do("BLPOP", "k", 0).Do("INCR", "a").Exec(ctx)
		return engine.Value{}, err
	})
	cancel()
	require.ErrorIs(t, (<-done).err, context.Canceled)
	require.Len(t, replies, 1)
	v, err := e.Do(context.Background(), "GET", "a")
	require.NoError(t, err)
	require.Equal(t, "1", v.Text())
}

func TestABatchReturnsWhereItStopsToWait(t *testing.T) {
	e := newEngine(t, engine.Options{})
	ctx := context.Background()
	s, err := e.NewSession()
	require.NoError(t, err)
	for _, early := range []bool{false, true} { // the element comes after, or before the batch is taken up again
		b := &enginedoor.Batch{StopAtBlock: true, Commands: [][]string{{"SET", "a", "1"}, {"BLPOP", "k", "0"}, {"GET", "a"}}}
		require.NoError(t, enginedoor.Of(s).RunBatch(ctx, b))
		require.True(t, b.Blocked)
		require.Len(t, b.Replies, 1)
		push := func() {
			_, err := e.Do(ctx, "RPUSH", "k", "x")
			require.NoError(t, err)
		}
		if early {
			push()
		} else {
			go push()
		}
		require.NoError(t, enginedoor.Of(s).RunBatch(ctx, b))
		require.False(t, b.Blocked)
		require.Len(t, b.Replies, 2)
		require.Equal(t, []string{"k", "x"}, b.Replies[0].Strings())
		require.Equal(t, "1", b.Replies[1].Text())
	}
}

// TestNoElementIsLostOrDoubled has producers push numbers that consumers pop, move and pop again,
// with time-outs and contexts that end at any moment.
func TestNoElementIsLostOrDoubled(t *testing.T) {
	const producers, each, consumers = 4, 300, 8
	e := newEngine(t, engine.Options{})
	var got sync.Map
	var popped atomic.Int64
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	take := func(v engine.Value, err error) {
		if err != nil || v.IsNil() {
			return
		}
		els := []string{v.Slice()[1].Text()}
		if v.Slice()[1].Kind() == engine.KindArray {
			els = v.Slice()[1].Strings()
		}
		for _, el := range els {
			if _, twice := got.LoadOrStore(el, true); twice {
				t.Errorf("%s came twice", el)
			}
			if popped.Add(1) == producers*each {
				stop()
			}
		}
	}
	var wg sync.WaitGroup
	for p := range producers {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(p)))
			for i := range each {
				key := []string{"a", "b"}[r.IntN(2)]
				if _, err := e.Do(context.Background(), "RPUSH", key, p*each+i); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for c := range consumers {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(2, uint64(c)))
			s, err := e.NewSession()
			if err != nil {
				t.Error(err)
				return
			}
			for ctx.Err() == nil {
				call, cancel := context.WithCancel(ctx)
				if r.IntN(2) == 0 {
					time.AfterFunc(time.Duration(r.IntN(200))*time.Microsecond, cancel)
				}
				switch r.IntN(4) {
				case 0:
					_, _ = s.Do(call, "BLMOVE", "a", "b", "LEFT", "RIGHT", 0.001)
				case 1:
					_, _ = e.Do(call, "BRPOPLPUSH", "b", "c", 0.001)
				case 2:
					take(e.Do(call, "BLMPOP", 0.001, 3, "c", "b", "a", "RIGHT", "COUNT", 3))
				case 3:
					take(s.Do(call, "BLPOP", "c", "a", 0.001))
				}
				cancel()
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, producers*each, popped.Load())
	v, err := e.Do(context.Background(), "EXISTS", "a", "b", "c")
	require.NoError(t, err)
	require.Zero(t, v.MustInt())
	require.Zero(t, blocked(t, e))
}

func TestAPauseFollowsTheVirtualClock(t *testing.T) {
	clock := engine.NewVirtualClock(time.UnixMilli(1_000_000))
	e := newEngine(t, engine.Options{Clock: clock})
	ctx := context.Background()
	sess, err := e.NewSession()
	require.NoError(t, err)
	script, err := e.Do(ctx, "SCRIPT", "LOAD", "return redis.call('incr', 'n')")
	require.NoError(t, err)
	_, err = e.Do(ctx, "CLIENT", "PAUSE", 1000, "WRITE")
	require.NoError(t, err)
	set := begin(t, e, func() (engine.Value, error) { return e.Do(ctx, "APPEND", "k", "a") })
	pipe := sess.Pipeline().Do("GET", "k").Do("APPEND", "k", "b").Do("GET", "k")
	piped := begin(t, e, func() (engine.Value, error) {
		vs, err := pipe.Exec(ctx)
		if err != nil {
			return engine.Value{}, err
		}
		return vs[2], err
	})
	behind := make(chan result, 1)
	go func() {
		v, err := sess.Do(ctx, "PING") // waits for its turn in the session
		behind <- result{v, err}
	}()
	incr := begin(t, e, func() (engine.Value, error) { return e.EvalSHA(ctx, script.Text(), nil) })
	short, giveUp := context.WithCancel(ctx)
	given := begin(t, e, func() (engine.Value, error) { return e.Do(short, "SET", "k", "given up") })
	giveUp()
	require.ErrorIs(t, (<-given).err, context.Canceled)
	v, err := e.Do(ctx, "GET", "k")
	require.NoError(t, err)
	require.True(t, v.IsNil())
	clock.Advance(999 * time.Millisecond)
	require.Equal(t, 3, blocked(t, e))
	clock.Advance(time.Millisecond)
	require.EqualValues(t, 1, (<-set).v.MustInt())
	require.Equal(t, "ab", (<-piped).v.Text())
	require.Equal(t, "PONG", (<-behind).v.Text())
	require.EqualValues(t, 1, (<-incr).v.MustInt())
	require.Zero(t, blocked(t, e))
}

func TestCallsThatAPauseHoldsEndWithTheEngine(t *testing.T) {
	e, err := engine.New(engine.Options{Clock: engine.NewVirtualClock(time.UnixMilli(1_000_000))})
	require.NoError(t, err)
	ctx := context.Background()
	sess, err := e.NewSession()
	require.NoError(t, err)
	_, err = e.Do(ctx, "CLIENT", "PAUSE", 1000, "WRITE")
	require.NoError(t, err)
	gone := begin(t, e, func() (engine.Value, error) { return sess.Do(ctx, "SET", "k", "v") })
	require.NoError(t, sess.Close())
	require.ErrorIs(t, (<-gone).err, engine.ErrSessionClosed)
	held := begin(t, e, func() (engine.Value, error) { return e.Do(ctx, "SET", "k", "v") })
	require.NoError(t, e.Close())
	require.ErrorIs(t, (<-held).err, engine.ErrClosed)
}
