package stock_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/everywhere"
	"github.com/redmoon-lua/redmoon/scripts/delayqueue"
	"github.com/redmoon-lua/redmoon/scripts/stock"
)

// insist makes a call until its outcome is known. Most of the calls are given up at a random
// moment, so that nobody knows whether they were made; it counts them.
func insist(r *rand.Rand, unknown *atomic.Int64, call func(ctx context.Context) (stock.Order, error)) (stock.Order, error) {
	for attempt := range 20 {
		ctx, cancel := context.WithCancel(context.Background())
		if attempt < 19 {
			ctx, cancel = context.WithTimeout(ctx, time.Duration(r.IntN(200))*time.Microsecond)
		}
		o, err := call(ctx)
		ended := ctx.Err()
		cancel()
		if err == nil || ended == nil || isAnswer(err) {
			return o, err
		}
		unknown.Add(1)
	}
	panic("not reached: the last call is not given up")
}

func isAnswer(err error) bool {
	for _, answer := range []error{stock.ErrSoldOut, stock.ErrReleased, stock.ErrConfirmed, stock.ErrExpired} {
		if errors.Is(err, answer) {
			return true
		}
	}
	return false
}

// Callers whose calls are given up at random moments repeat them. What they believe in the end,
// what the sale says and what was handed on agree.
func TestCallersThatGiveUpAndRepeat(t *testing.T) {
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		ctx := context.Background()
		const ready, workers, each, items = "delayqueue:{sale}:ready", 8, 25, 150
		s := supplied(t, p, stock.Units, items, stock.Options{Hold: time.Hour, Ready: ready})
		var unknown atomic.Int64
		var mu sync.Mutex
		sold := map[string][]string{} // token to serials
		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(uint64(w), 1))
				for i := range each {
					token := fmt.Sprint("order", w, "-", i)
					_, err := insist(r, &unknown, func(ctx context.Context) (stock.Order, error) {
						return s.Reserve(ctx, token, token, stock.Line{Item: "item", Quantity: 1 + int64(i)%2})
					})
					if errors.Is(err, stock.ErrSoldOut) {
						continue
					}
					end, state := s.Confirm, stock.Confirmed
					if i%3 == 0 {
						end, state = s.Release, stock.Released
					}
					var o stock.Order
					if err == nil {
						o, err = insist(r, &unknown, func(ctx context.Context) (stock.Order, error) { return end(ctx, token) })
					}
					if err != nil || o.State != state {
						t.Errorf("%s is %v: %v", token, o.State, err)
						continue
					}
					if state == stock.Confirmed {
						mu.Lock()
						sold[token] = o.Lines[0].Serials
						mu.Unlock()
					}
				}
			})
		}
		wg.Wait()
		require.Positive(t, unknown.Load())
		require.NoError(t, s.Audit(ctx))
		units := map[string]bool{}
		for _, serials := range sold {
			for _, serial := range serials {
				require.False(t, units[serial], "unit %s was sold twice", serial)
				units[serial] = true
			}
		}
		r, err := s.Status(ctx)
		require.NoError(t, err)
		require.Equal(t, int64(len(units)), r.Items[0].Sold)
		require.Zero(t, r.Items[0].Reserved)

		q, err := delayqueue.On(p, ready, delayqueue.Options{})
		require.NoError(t, err)
		settled := map[string][]string{}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		err = q.Run(ctx, "settlement", func(_ context.Context, batch []*delayqueue.Delivery) error {
			for _, d := range batch {
				var order struct {
					ID    string
					Lines []struct{ Serials []string }
				}
				if err := json.Unmarshal(d.Payload, &order); err != nil || order.ID != d.ID || settled[d.ID] != nil {
					t.Errorf("%s: %s: %v", d.ID, d.Payload, err)
				}
				settled[d.ID] = order.Lines[0].Serials
			}
			if len(settled) >= len(sold) {
				cancel()
			}
			return nil
		})
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, sold, settled)
		info := p.Do(t, "XINFO", "STREAM", ready).Strings()
		require.Equal(t, fmt.Sprint(len(sold)), info[slices.Index(info, "entries-added")+1])
	})
}
