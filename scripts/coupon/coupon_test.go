package coupon_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/coupon"
	"github.com/stretchr/testify/require"
)

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

func newEngine(t *testing.T) (*engine.Engine, *engine.VirtualClock) {
	t.Helper()
	clock := engine.NewVirtualClock(noon)
	e, err := engine.New(engine.Options{Clock: clock})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, e.Check(context.Background()))
		require.NoError(t, e.Close())
	})
	return e, clock
}

func TestClaimStopsAtEachLimit(t *testing.T) {
	ctx := context.Background()
	e, clock := newEngine(t)
	c, err := coupon.New(e, "spring", coupon.Limits{PerDay: 1, PerUser: 2, Total: 3}, nil)
	require.NoError(t, err)
	n, err := c.Claim(ctx, "ann", noon)
	require.NoError(t, err)
	require.Equal(t, int64(1), n)
	_, err = c.Claim(ctx, "ann", noon)
	require.ErrorIs(t, err, coupon.ErrDayLimit)
	_, err = c.Claim(ctx, "ann", noon.AddDate(0, 0, 1))
	require.NoError(t, err)
	_, err = c.Claim(ctx, "ann", noon.AddDate(0, 0, 2))
	require.ErrorIs(t, err, coupon.ErrUserLimit)
	_, err = c.Claim(ctx, "bob", noon)
	require.NoError(t, err)
	_, err = c.Claim(ctx, "cy", noon)
	require.ErrorIs(t, err, coupon.ErrSoldOut)

	day := "coupon:{spring}:day:20260131"
	v, err := e.Do(ctx, "EXISTS", day)
	require.NoError(t, err)
	require.Equal(t, int64(1), v.Int())
	clock.Advance(48 * time.Hour)
	v, err = e.Do(ctx, "EXISTS", day)
	require.NoError(t, err)
	require.Zero(t, v.Int())
}

func TestDayBeginsInItsZone(t *testing.T) {
	ctx := context.Background()
	e, _ := newEngine(t)
	c, err := coupon.New(e, "z", coupon.Limits{PerDay: 1}, time.FixedZone("east", 8*3600))
	require.NoError(t, err)
	_, err = c.Claim(ctx, "ann", noon)
	require.NoError(t, err)
	_, err = c.Claim(ctx, "ann", noon.Add(4*time.Hour)) // midnight in the east
	require.NoError(t, err)
}

func TestNewRefuses(t *testing.T) {
	e, _ := newEngine(t)
	for _, id := range []string{"", "{", "a}"} {
		_, err := coupon.New(e, id, coupon.Limits{}, nil)
		require.ErrorIs(t, err, coupon.ErrName)
	}
	_, err := coupon.New(e, "x", coupon.Limits{Total: -1}, nil)
	require.ErrorIs(t, err, coupon.ErrLimit)
}

func TestTotalHoldsUnderConcurrency(t *testing.T) {
	e, _ := newEngine(t)
	c, err := coupon.New(e, "rush", coupon.Limits{PerUser: 1, Total: 100}, nil)
	require.NoError(t, err)
	var claimed atomic.Int64
	var wg sync.WaitGroup
	for w := range 16 {
		wg.Go(func() {
			for i := range 50 {
				if _, err := c.Claim(context.Background(), fmt.Sprint("u", w, "-", i), noon); err == nil {
					claimed.Add(1)
				}
			}
		})
	}
	wg.Wait()
	require.Equal(t, int64(100), claimed.Load())
}

func ExampleCoupon_Claim() {
	ctx := context.Background()
	e, err := engine.New(engine.Options{})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	c, err := coupon.New(e, "spring", coupon.Limits{PerDay: 1, Total: 1000}, time.UTC)
	if err != nil {
		panic(err)
	}
	fmt.Println(c.Claim(ctx, "ann", noon))
	fmt.Println(c.Claim(ctx, "ann", noon))
	// Output:
	// 1 <nil>
	// 0 coupon: user has reached today's limit
}
