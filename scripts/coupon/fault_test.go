package coupon_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/goredis"
	"github.com/redmoon-lua/redmoon/internal/testing/everywhere"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/redmoon-lua/redmoon/scripts/coupon"
)

var errLost = errors.New("the connection was lost")

// lossy loses a third of the calls, before or after they are made; the caller does not know which.
type lossy struct {
	engine.Client
	draw *rand.Rand
}

func (l lossy) RunScript(ctx context.Context, s *engine.Script, keys, args []string) (engine.Value, error) {
	switch l.draw.IntN(6) {
	case 0:
		return engine.Value{}, errLost
	case 1:
		_, _ = l.Client.RunScript(ctx, s, keys, args)
		return engine.Value{}, errLost
	}
	return l.Client.RunScript(ctx, s, keys, args)
}

// untilKnown repeats a call whose outcome is not known.
func untilKnown(t *testing.T, f func() error) (known error) {
	var reply *engine.Error
	err := patience.Try(func() error {
		err := f()
		if err == nil || errors.Is(err, coupon.ErrLimitReached) || errors.Is(err, coupon.ErrUndone) {
			known = err
			return nil
		}
		if errors.As(err, &reply) && reply.Code != "LOADING" {
			t.Error(err)
			known = err
			return nil
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return cmp.Or(known, err)
}

// claimAndUndo lets workers claim each with tokens of their own, and undo every third claim. Every
// call is repeated until its outcome is known.
func claimAndUndo(t *testing.T, c *coupon.Coupon, workers, claims int, meanwhile func()) (stand int64) {
	ctx := context.Background()
	var mu sync.Mutex
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range claims {
				token, who := fmt.Sprint(w, "-", i), user(fmt.Sprint("u", w))
				err := untilKnown(t, func() error { _, err := c.Claim(ctx, token, who); return err })
				if err != nil {
					continue // refused
				}
				if i%3 == 0 {
					_ = untilKnown(t, func() error { _, err := c.Undo(ctx, token); return err })
					continue
				}
				mu.Lock()
				stand++
				mu.Unlock()
			}
		})
	}
	meanwhile()
	wg.Wait()
	return stand
}

func TestLostRepliesAreHarmless(t *testing.T) {
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		o := coupon.Options{Limits: []coupon.Limit{coupon.PerUser(10), coupon.InTotal(45)}}
		stand := claimAndUndo(t, newCoupon(t, lossy{p, tier.Rand(t)}, "c", o), 8, 20, func() {})
		c := newCoupon(t, p, "c", o)
		require.Equal(t, map[string]int64{"total": stand}, used(t, c, nil))
		require.LessOrEqual(t, stand, int64(45))
		require.GreaterOrEqual(t, stand, int64(38), "refused were at most those for whom 7 claims stood that were then undone")
		sum := int64(0)
		for w := range 8 {
			n := used(t, c, user(fmt.Sprint("u", w)))["user"]
			require.LessOrEqual(t, n, int64(10))
			sum += n
		}
		require.Equal(t, stand, sum)
	})
}

func TestAServerThatIsKilledForgetsNothingItHasWritten(t *testing.T) {
	redistest.Need(t)
	s, err := redistest.Start("--appendonly", "yes", "--appendfsync", "always")
	require.NoError(t, err)
	t.Cleanup(s.Stop)
	rdb := redis.NewClient(&redis.Options{Addr: s.Addr})
	t.Cleanup(func() { require.NoError(t, rdb.Close()) })
	c := newCoupon(t, goredis.New(rdb), "c", coupon.Options{Limits: []coupon.Limit{coupon.PerUser(1000), coupon.InTotal(100_000)}})
	const workers, claims, all = 8, 150, 8 * 100 // a third is undone
	stand := claimAndUndo(t, c, workers, claims, func() {
		for range 3 {
			// Some more claims come through, then the server dies in the midst of others.
			before := total(c)
			require.NoError(t, patience.Try(func() error {
				if n := total(c); n < before+50 && n < all {
					return errors.New("nobody claims")
				}
				return nil
			}))
			s.Kill()
			require.NoError(t, s.Restart())
		}
	})
	require.Equal(t, int64(all), stand)
	require.Equal(t, map[string]int64{"total": stand}, used(t, c, nil))
}

// total is how many claims stand, 0 where the server does not say.
func total(c *coupon.Coupon) int64 {
	list, err := c.Usage(context.Background(), nil)
	if err != nil {
		return 0
	}
	return list[0].Used
}
