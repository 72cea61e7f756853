package engine_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
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

// A session that has sent QUIT is gone before its reply can be read.
func TestASessionLeavesBeforeItsLastReply(t *testing.T) {
	ctx := context.Background()
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	defer e.Close()
	for _, first := range [][]string{{"PING"}, {"SUBSCRIBE", "c"}, {"MONITOR"}, {"CLIENT", "TRACKING", "ON"}, {"MULTI"}} {
		s, err := enginedoor.Of(e).OpenSession(enginedoor.SessionInfo{Addr: "127.0.0.1:1", LAddr: "127.0.0.1:2",
			Receive: func(engine.Value, int, int64) int64 { return 0 }, Kill: func() {}})
		require.NoError(t, err)
		b := &enginedoor.Batch{Commands: [][]string{first, {"QUIT"}, {"SET", "k", "v"}}}
		require.NoError(t, enginedoor.Of(s).RunBatch(ctx, b))
		require.True(t, b.Closed)
		v, err := e.DoStrings(ctx, "CLIENT", "LIST")
		require.NoError(t, err)
		require.Empty(t, v.Text(), "after %v", first)
		v, err = e.DoStrings(ctx, "PUBSUB", "NUMSUB", "c")
		require.NoError(t, err)
		require.Equal(t, "0", v.Slice()[1].Text())
		v, err = e.DoStrings(ctx, "EXISTS", "k")
		require.NoError(t, err)
		require.Equal(t, "0", v.Text())
		require.NoError(t, s.Close())
	}
}
