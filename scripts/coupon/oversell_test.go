package coupon_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/redmoon-lua/redmoon/scripts/coupon"
)

// Ten thousand contenders, each a goroutine, for a hundred coupons, again and again.
func TestNoMoreThanTheTotalIsClaimed(t *testing.T) {
	const contenders, total = 10_000, 100
	e, err := engine.New(engine.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	for round := range tier.Amount(3, 10) {
		c := newCoupon(t, e, fmt.Sprint("rush", round), coupon.Options{Limits: []coupon.Limit{coupon.PerUser(1), coupon.InTotal(total)}})
		var claimed, refused atomic.Int64
		var wg sync.WaitGroup
		for i := range contenders {
			wg.Go(func() {
				who := fmt.Sprint("u", i)
				switch _, err := c.Claim(context.Background(), who, user(who)); {
				case err == nil:
					claimed.Add(1)
				case errors.Is(err, coupon.ErrSoldOut):
					refused.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		require.Equal(t, [2]int64{total, contenders - total}, [2]int64{claimed.Load(), refused.Load()})
		require.Equal(t, map[string]int64{"total": total}, used(t, c, nil))
	}
}
