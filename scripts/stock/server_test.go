package stock_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/goredis"
	"github.com/redmoon-lua/redmoon/internal/testing/everywhere"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
	"github.com/redmoon-lua/redmoon/scripts/stock"
)

func TestAServerWithoutMemoryChangesNothing(t *testing.T) {
	ctx := context.Background()
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		const ready = "delayqueue:{sale}:ready"
		s := open(t, p, stock.Options{Hold: time.Hour, Ready: ready})
		for _, token := range []string{"o1", "o2"} {
			_, err := s.Reserve(ctx, token, token, phones(1), seats(1))
			require.NoError(t, err)
		}
		p.Configure(t, "maxmemory", "1")
		_, one := s.Reserve(ctx, "o3", "bob", phones(1))
		_, unit := s.Reserve(ctx, "o4", "bob", seats(1))
		_, both := s.Reserve(ctx, "o5", "bob", seats(1), phones(1))
		_, confirm := s.Confirm(ctx, "o1")
		_, release := s.Release(ctx, "o2")
		_, units := s.SupplyUnits(ctx, "seat", "b1")
		errs := []error{one, unit, both, confirm, release, units, s.Supply(ctx, "d2", "phone", 1)}
		p.Configure(t, "maxmemory", "0")
		for i, err := range errs {
			require.ErrorContains(t, err, "OOM", i)
		}
		requireBooks(t, s, [3]int64{8, 2, 0}, [3]int64{1, 2, 0})
		require.Zero(t, p.Do(t, "EXISTS", ready).MustInt())
		_, err := s.Confirm(ctx, "o1")
		require.NoError(t, err)
		_, err = s.Release(ctx, "o2")
		require.NoError(t, err)
		requireBooks(t, s, [3]int64{9, 0, 1}, [3]int64{2, 0, 1})
	})
}

// A server is killed in the midst of a sale and comes back: callers that repeat their calls sell
// everything, once.
func TestAServerThatIsKilledSellsEverythingOnce(t *testing.T) {
	ctx := context.Background()
	redistest.Need(t)
	server, err := redistest.Start("--appendonly", "yes", "--appendfsync", "always")
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	rdb := redis.NewClient(&redis.Options{Addr: server.Addr})
	t.Cleanup(func() { require.NoError(t, rdb.Close()) })
	const items, workers, ready = 600, 6, "delayqueue:{sale}:ready"
	s := supplied(t, goredis.New(rdb), stock.Units, items, stock.Options{Hold: time.Hour, Ready: ready})
	var mu sync.Mutex
	var tokens []string
	bought := func() int { mu.Lock(); defer mu.Unlock(); return len(tokens) }
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range items/workers + 10 {
				token := fmt.Sprint("order", w, "-", i)
				call := func() error {
					if _, err := s.Reserve(ctx, token, token, stock.Line{Item: "item", Quantity: 1}); err != nil {
						return err
					}
					_, err := s.Confirm(ctx, token)
					return err
				}
				soldOut := false
				err := patience.Try(func() error {
					err := call()
					soldOut = errors.Is(err, stock.ErrSoldOut)
					if soldOut {
						return nil
					}
					return err
				})
				if err != nil {
					t.Error(err)
				}
				if err == nil && !soldOut {
					mu.Lock()
					tokens = append(tokens, token)
					mu.Unlock()
				}
			}
		})
	}
	for k := range 3 {
		require.NoError(t, patience.Try(func() error {
			if bought() < (k+1)*items/5 {
				return errors.New("nobody buys")
			}
			return nil
		}))
		server.Kill()
		require.NoError(t, server.Restart())
	}
	wg.Wait()
	require.Len(t, tokens, items)
	require.NoError(t, s.Audit(ctx))
	r, err := s.Status(ctx)
	require.NoError(t, err)
	require.Equal(t, int64(items), r.Items[0].Sold)
	v, err := server.Do("XRANGE", ready, "-", "+")
	require.NoError(t, err)
	var handed []string
	for _, entry := range v.Slice() {
		handed = append(handed, entry.Slice()[1].Strings()[1])
	}
	slices.Sort(handed)
	slices.Sort(tokens)
	require.Equal(t, tokens, handed)
}
