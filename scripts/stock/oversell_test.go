package stock_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/everywhere"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/redmoon-lua/redmoon/scripts/stock"
)

// supplied returns an open sale of n of one item.
func supplied(t *testing.T, c engine.Client, strategy stock.Strategy, n int, o stock.Options) *stock.Sale {
	t.Helper()
	ctx := context.Background()
	s, err := stock.New(c, "sale", o)
	require.NoError(t, err)
	require.NoError(t, s.Define(ctx, stock.Item{Name: "item", Strategy: strategy}))
	if strategy == stock.Units {
		serials := make([]string, n)
		for i := range serials {
			serials[i] = fmt.Sprint("unit", i)
		}
		added, err := s.SupplyUnits(ctx, "item", serials...)
		require.NoError(t, err)
		require.Equal(t, int64(n), added)
	} else {
		require.NoError(t, s.Supply(ctx, "supply", "item", int64(n)))
	}
	require.NoError(t, s.Open(ctx))
	return s
}

// keys are those of the sale of all tests.
func keys(t *testing.T) []string {
	t.Helper()
	s, err := stock.New(nil, "sale", stock.Options{})
	require.NoError(t, err)
	return s.Keys()
}

// rush lets contenders ask for one each of the items of a sale, as many as supplied. Who gets one
// confirms it.
func rush(t *testing.T, s *stock.Sale, workers, contenders, items int, strategy stock.Strategy) {
	t.Helper()
	ctx := context.Background()
	var next, soldOut atomic.Int64
	var mu sync.Mutex
	sold, holders := 0, map[string]string{}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for {
				i := int(next.Add(1))
				if i > contenders {
					return
				}
				token := fmt.Sprint("order", i)
				o, err := s.Reserve(ctx, token, fmt.Sprint("user", i), stock.Line{Item: "item", Quantity: 1})
				if errors.Is(err, stock.ErrSoldOut) {
					soldOut.Add(1)
					continue
				}
				if err == nil {
					o, err = s.Confirm(ctx, token)
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				sold++
				for _, serial := range o.Lines[0].Serials {
					holders[serial] = token
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	require.Equal(t, items, sold)
	require.Equal(t, int64(contenders-items), soldOut.Load())
	if strategy == stock.Units {
		require.Len(t, holders, items, "no unit was sold twice")
	}
	require.NoError(t, s.Audit(ctx))
	r, err := s.Status(ctx)
	require.NoError(t, err)
	it := r.Items[0]
	require.Equal(t, [4]int64{0, 0, int64(items), int64(items)}, [4]int64{it.Left, it.Reserved, it.Sold, it.Supplied})
}

// Ten thousand contenders for a hundred items, again and again; in a few of the rounds each of them
// is a goroutine.
func TestNothingIsOversold(t *testing.T) {
	for _, strategy := range []stock.Strategy{stock.Counter, stock.Units} {
		t.Run(strategy.String(), func(t *testing.T) {
			e, err := engine.New(engine.Options{})
			require.NoError(t, err)
			defer e.Close()
			for round := range rounds() {
				_, err := e.Do(context.Background(), "FLUSHALL")
				require.NoError(t, err)
				workers := 50
				if round < tier.Amount(1, 3) {
					workers = 10_000
				}
				rush(t, supplied(t, e, strategy, 100, stock.Options{}), workers, 10_000, 100, strategy)
			}
		})
	}
}

func TestNothingIsOversoldAnywhere(t *testing.T) {
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		for _, strategy := range []stock.Strategy{stock.Counter, stock.Units} {
			for range 2 {
				p.Do(t, append([]string{"DEL"}, keys(t)...)...)
				rush(t, supplied(t, p, strategy, 100, stock.Options{}), 50, 10_000/ease, 100, strategy)
			}
		}
	})
}

// Contenders that come with a token each, many times at the same time, and give up at random: each
// token stands for one order.
func TestTheSameTokenAtOnce(t *testing.T) {
	ctx := context.Background()
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		s := supplied(t, p, stock.Units, 50, stock.Options{Hold: time.Hour})
		const tokens, callers = 20, 8
		var orders [tokens][callers]stock.Order
		var wg sync.WaitGroup
		for c := range callers {
			wg.Go(func() {
				for i := range tokens {
					o, err := s.Reserve(ctx, fmt.Sprint("order", i), fmt.Sprint("user", i), stock.Line{Item: "item", Quantity: 2})
					if err != nil {
						t.Error(err)
					}
					orders[i][c] = o
				}
			})
		}
		wg.Wait()
		for _, list := range orders {
			for _, o := range list[1:] {
				require.Equal(t, list[0], o)
			}
		}
		r, err := s.Status(ctx)
		require.NoError(t, err)
		require.Equal(t, int64(2*tokens), r.Items[0].Reserved)
		require.NoError(t, s.Audit(ctx))
	})
}
