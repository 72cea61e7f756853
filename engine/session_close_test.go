package engine_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// TestClosedSessionsLoseNothing closes sessions, and ends contexts, while their commands wait or
// are being served. Every element must go to one call, and no goroutine may be left.
func TestClosedSessionsLoseNothing(t *testing.T) {
	const producers, each, consumers = 3, 400, 6
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	var got sync.Map
	var taken atomic.Int64
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var wg sync.WaitGroup
	for p := range producers {
		wg.Go(func() {
			for i := range each {
				if _, err := e.Do(context.Background(), "ZADD", "z", i, p*each+i); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for c := range consumers {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(3, uint64(c)))
			for ctx.Err() == nil {
				s, err := e.NewSession()
				if err != nil {
					t.Error(err)
					return
				}
				call, cancel := context.WithCancel(ctx)
				var ends sync.WaitGroup
				switch r.IntN(3) {
				case 0:
					ends.Go(func() { _ = s.Close() })
				case 1:
					ends.Go(cancel)
				}
				v, err := s.Do(call, "BZPOPMIN", "z", 0)
				if err == nil {
					if _, twice := got.LoadOrStore(v.Slice()[1].Text(), true); twice {
						t.Errorf("%s came twice", v.Slice()[1].Text())
					}
					if taken.Add(1) == producers*each {
						stop()
					}
				}
				ends.Wait()
				cancel()
				_ = s.Close()
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, producers*each, taken.Load())
	n, err := e.Do(context.Background(), "ZCARD", "z")
	require.NoError(t, err)
	require.Zero(t, n.MustInt())
	require.Zero(t, blocked(t, e))
	require.NoError(t, e.Close())
}
