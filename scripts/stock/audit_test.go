package stock_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/everywhere"
	"github.com/redmoon-lua/redmoon/redmoontest"
	"github.com/redmoon-lua/redmoon/scripts/stock"
)

func TestAuditFindsWhatIsWrong(t *testing.T) {
	ctx := context.Background()
	for what, spoil := range map[string]func(e *redmoontest.Engine, keys []string){
		"an order is gone":   func(e *redmoontest.Engine, keys []string) { e.MustDo("HDEL", keys[1], "o1") },
		"nobody ends it":     func(e *redmoontest.Engine, keys []string) { e.MustDo("ZREM", keys[2], "o1") },
		"it is ended late":   func(e *redmoontest.Engine, keys []string) { e.MustDo("HINCRBY", keys[0], "", 1) },
		"a unit is gone":     func(e *redmoontest.Engine, keys []string) { e.MustDo("HDEL", keys[4], "3:seat") },
		"a serial is gone":   func(e *redmoontest.Engine, keys []string) { e.MustDo("HDEL", keys[1], "seat\xffa3") },
		"an item is gone":    func(e *redmoontest.Engine, keys []string) { e.MustDo("HDEL", keys[0], "phone") },
		"a counter is wrong": func(e *redmoontest.Engine, keys []string) { setItem(e, keys, "phone", 9, 2, 1, 10) },
		"a counter below 0": func(e *redmoontest.Engine, keys []string) {
			setItem(e, keys, "phone", -1, 2, 10, 10)
		},
		"the queue is wrong": func(e *redmoontest.Engine, keys []string) { setItem(e, keys, "seat", 1, 0, 0, 3, 1) },
		"more are held": func(e *redmoontest.Engine, keys []string) {
			setItem(e, keys, "phone", 10, 2, 0, 10)
		},
		"units are left over": func(e *redmoontest.Engine, keys []string) { e.MustDo("HSET", keys[4], "4:seat", "a4") },
	} {
		e := redmoontest.New(t)
		s, err := stock.New(e, "sale", stock.Options{})
		require.NoError(t, err)
		require.NoError(t, s.Define(ctx, stock.Item{Name: "phone", Quota: 2}, stock.Item{Name: "seat", Strategy: stock.Units}))
		require.NoError(t, s.Supply(ctx, "delivery", "phone", 10))
		_, err = s.SupplyUnits(ctx, "seat", "a1", "a2", "a3")
		require.NoError(t, err)
		require.NoError(t, s.Open(ctx))
		_, err = s.Reserve(ctx, "o1", "ann", phones(1), seats(2))
		require.NoError(t, err)
		require.NoError(t, s.Audit(ctx))
		spoil(e, s.Keys())
		require.ErrorIs(t, s.Audit(ctx), stock.ErrAudit, what)
	}
}

// setItem stores an item as the scripts do.
func setItem(e *redmoontest.Engine, keys []string, name string, numbers ...int64) {
	args := []any{name}
	for _, n := range numbers {
		args = append(args, n)
	}
	e.MustEval(`
		local fields = {}
		for i = 2, #ARGV do fields[i - 1] = tonumber(ARGV[i]) end
		return redis.call('HSET', KEYS[1], ARGV[1], cmsgpack.pack(unpack(fields)))`, keys[:1], args...)
}

// While buyers reserve, confirm and release, and time passes, the books add up at every moment.
func TestTheBooksAddUpAtEveryMoment(t *testing.T) {
	ctx := context.Background()
	e := redmoontest.New(t)
	s, err := stock.New(e, "sale", stock.Options{Hold: time.Minute, Retention: 2 * time.Minute})
	require.NoError(t, err)
	require.NoError(t, s.Define(ctx, stock.Item{Name: "phone", Quota: 5}, stock.Item{Name: "seat", Strategy: stock.Units}))
	require.NoError(t, s.Supply(ctx, "delivery", "phone", 60))
	for i := range 40 {
		_, err := s.SupplyUnits(ctx, "seat", fmt.Sprint("a", i))
		require.NoError(t, err)
	}
	require.NoError(t, s.Open(ctx))
	var sold [2]atomic.Int64
	var buyers, auditors sync.WaitGroup
	for w := range 6 {
		buyers.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 2))
			for i := range 300 {
				token := fmt.Sprint("o", w, "-", i)
				lines := []stock.Line{phones(1 + r.Int64N(2)), seats(1 + r.Int64N(2))}[r.IntN(2):][:1]
				if r.IntN(3) == 0 {
					lines = []stock.Line{phones(1), seats(1)}
				}
				o, err := s.Reserve(ctx, token, fmt.Sprint("u", r.IntN(20)), lines...)
				if err != nil {
					if !errors.Is(err, stock.ErrSoldOut) && !errors.Is(err, stock.ErrQuota) {
						t.Error(err)
					}
					continue
				}
				switch r.IntN(12) {
				case 0:
					if _, err := s.Confirm(ctx, token); err == nil {
						for _, l := range o.Lines {
							sold[len(l.Item)-4].Add(l.Quantity) // "seat" is 0, "phone" 1
						}
					} else if !errors.Is(err, stock.ErrExpired) && !errors.Is(err, stock.ErrUnknownOrder) {
						t.Error(err)
					}
				case 1, 2, 3:
					if _, err := s.Release(ctx, token); err != nil && !errors.Is(err, stock.ErrExpired) && !errors.Is(err, stock.ErrUnknownOrder) {
						t.Error(err)
					}
				case 4:
					e.Advance(time.Duration(r.Int64N(int64(30 * time.Second))))
				}
			}
		})
	}
	done := make(chan struct{})
	auditors.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			if err := s.Audit(ctx); err != nil {
				t.Error(err)
			}
		}
	})
	buyers.Wait()
	close(done)
	auditors.Wait()
	e.Advance(time.Hour)
	for range 20 {
		_, err := s.Sweep(ctx, 1000)
		require.NoError(t, err)
	}
	requireBooks(t, s, [3]int64{60 - sold[1].Load(), 0, sold[1].Load()}, [3]int64{40 - sold[0].Load(), 0, sold[0].Load()})
	require.Positive(t, sold[0].Load())
	require.Positive(t, sold[1].Load())
	require.Zero(t, e.MustDo("EXISTS", s.Keys()[2]).MustInt(), "all orders are forgotten")
	require.Equal(t, int64(40), e.MustDo("HLEN", s.Keys()[1]).MustInt(), "the serials are not")
}

// Names may hold anything; no two are mixed up.
func TestNamesHoldAnything(t *testing.T) {
	ctx := context.Background()
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		s, err := stock.New(p, "ü:*?[", stock.Options{})
		require.NoError(t, err)
		names := []string{"a", "a:b", "a:b:c", "1:a", "closed", "open", "9000000000000000", "{x}", "é\n\x00\"'"}
		for _, name := range names {
			require.NoError(t, s.Define(ctx, stock.Item{Name: name, Quota: 1}))
			require.NoError(t, s.Supply(ctx, "supply of "+name, name, 100))
		}
		require.NoError(t, s.Open(ctx))
		var lines []stock.Line
		for _, name := range names {
			lines = append(lines, stock.Line{Item: name, Quantity: 1})
		}
		users := append(names, "b", "b:c", "c")
		for _, user := range users {
			_, err := s.Reserve(ctx, user, user, lines...)
			require.NoError(t, err)
			o, err := s.Confirm(ctx, user)
			require.NoError(t, err)
			require.Equal(t, user, o.User)
			require.Len(t, o.Lines, len(lines))
			_, err = s.Reserve(ctx, user+"again", user, lines[0])
			require.ErrorIs(t, err, stock.ErrQuota)
		}
		r, err := s.Status(ctx)
		require.NoError(t, err)
		for _, it := range r.Items {
			require.Contains(t, names, it.Name)
			require.Equal(t, int64(len(users)), it.Sold)
		}
		require.NoError(t, s.Audit(ctx))
	})
}
