package redpacket_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/everywhere"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

// TestNoPacketIsSoldTwice lets 10,000 users contend for 100 packets, in each round and with each
// strategy: a hundred rounds on an engine, fewer with a goroutine for each user, on servers, and
// with the race detector.
func TestNoPacketIsSoldTwice(t *testing.T) {
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	shards, err := engine.NewCluster(2, engine.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, shards.Close()) })
	rounds, few := tier.Amount(10, 100), tier.Amount(1, 3)
	if racing {
		rounds, few = 3, 1
	}
	t.Run("engine", func(t *testing.T) { contend(t, e, rounds, 50) })
	t.Run("engine, all at once", func(t *testing.T) { contend(t, e, few, 10_000) })
	t.Run("two shards, all at once", func(t *testing.T) { contend(t, shards, few, 10_000) })
	// A connection serves one caller at a time: as many callers as there are goroutines would wait for
	// one.
	t.Run("redis-server", func(t *testing.T) { contend(t, everywhere.Server(t), 1, 50) })
	t.Run("redis cluster", func(t *testing.T) { contend(t, everywhere.Cluster(t), 1, 50) })
}

func contend(t *testing.T, c engine.Client, rounds, callers int) {
	const contenders, count, total = 10_000, 100, 123_456
	ctx := context.Background()
	for _, s := range strategies {
		for round := range rounds {
			a := activity(t, c, fmt.Sprint(s, round, callers), redpacket.Options{Retention: 1})
			list := packets(t, "p", total, count, s)
			require.NoError(t, a.Open(ctx, list))
			var next, sold, cents, empty atomic.Int64
			var wg sync.WaitGroup
			for range callers {
				wg.Go(func() {
					for i := next.Add(1); i <= contenders; i = next.Add(1) {
						g, err := a.Grab(ctx, fmt.Sprint("u", i))
						switch {
						case err == nil:
							sold.Add(1)
							cents.Add(g.Amount)
						case errors.Is(err, redpacket.ErrEmpty):
							empty.Add(1)
						default:
							t.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
			require.Equal(t, []int64{count, total, contenders - count}, []int64{sold.Load(), cents.Load(), empty.Load()})
			require.Len(t, checkMoney(t, c, a, list, "").records, count)
			r, err := a.Expire(ctx)
			require.NoError(t, err)
			require.Zero(t, r.Amount)
		}
	}
}
