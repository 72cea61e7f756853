package coupon_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/everywhere"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/scripts/coupon"
)

func newCoupon(t testing.TB, c engine.Client, name string, o coupon.Options) *coupon.Coupon {
	t.Helper()
	cp, err := coupon.New(c, name, o)
	require.NoError(t, err)
	return cp
}

func user(name string) coupon.Fields { return coupon.Fields{"user": name} }

// claim makes a claim that must succeed.
func claim(t testing.TB, c *coupon.Coupon, token string, f coupon.Fields) coupon.Receipt {
	t.Helper()
	r, err := c.Claim(context.Background(), token, f)
	require.NoError(t, err)
	require.Equal(t, coupon.Claimed, r.Outcome)
	return r
}

// refused makes a claim that these limits must refuse, with what is used of each.
func refused(t testing.TB, c *coupon.Coupon, token string, f coupon.Fields, want map[string]int64) *coupon.LimitError {
	t.Helper()
	r, err := c.Claim(context.Background(), token, f)
	require.Equal(t, coupon.Receipt{Outcome: coupon.Refused}, r)
	require.ErrorIs(t, err, coupon.ErrLimitReached)
	var limit *coupon.LimitError
	require.ErrorAs(t, err, &limit)
	got := map[string]int64{}
	for _, u := range limit.Reached {
		got[u.Limit.Name] = u.Used
		if u.Limit.Err != nil {
			require.ErrorIs(t, err, u.Limit.Err)
		}
		require.Zero(t, u.Left())
	}
	require.Equal(t, want, got)
	return limit
}

// used returns what is used of each limit.
func used(t testing.TB, c *coupon.Coupon, f coupon.Fields) map[string]int64 {
	t.Helper()
	list, err := c.Usage(context.Background(), f)
	require.NoError(t, err)
	got := map[string]int64{}
	for _, u := range list {
		got[u.Limit.Name] = u.Used
	}
	return got
}

func TestEachLimitRefusesByItsName(t *testing.T) {
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		c := newCoupon(t, p, "spring", coupon.Options{Limits: []coupon.Limit{
			coupon.PerUserAndDay(1), coupon.PerUser(2), coupon.InTotal(3),
		}})
		d := newCoupon(t, p, "spring", coupon.Options{Limits: []coupon.Limit{ // the same counts, more a day
			{Name: "user-day", Scope: []string{"user"}, Window: coupon.Day, Max: 5}, coupon.PerUser(2), coupon.InTotal(3),
		}})
		before := p.Now(t, "{spring}").Truncate(time.Microsecond)
		r := claim(t, c, "t1", user("ann"))
		require.False(t, r.At.Before(before))
		require.False(t, r.At.After(p.Now(t, "{spring}")))
		require.Equal(t, "t1", r.Token)

		e := refused(t, c, "t2", user("ann"), map[string]int64{"user-day": 1})
		require.Equal(t, "coupon: limit reached: user-day, 1 of 1", e.Error())
		require.False(t, errors.Is(e, coupon.ErrUserLimit))
		y, m, day := p.Now(t, "{spring}").UTC().Date()
		require.Equal(t, time.Date(y, m, day+1, 0, 0, 0, 0, time.UTC), e.ResetAt())

		claim(t, d, "t2", user("ann"))
		e = refused(t, d, "t3", user("ann"), map[string]int64{"user": 2})
		require.Zero(t, e.ResetAt())
		claim(t, c, "t3", user("bob"))
		refused(t, c, "t4", user("cy"), map[string]int64{"total": 3})
		refused(t, c, "t4", user("ann"), map[string]int64{"user-day": 2, "user": 2, "total": 3})
		require.Equal(t, map[string]int64{"total": 3}, used(t, c, nil))
		require.Equal(t, map[string]int64{"total": 3, "user": 0, "user-day": 0}, used(t, c, user("cy")), "what was refused is not counted")
		_, err := c.Find(context.Background(), "t4")
		require.ErrorIs(t, err, coupon.ErrUnknownClaim)
	})
}

func TestLimitsOfOtherScopesAreData(t *testing.T) {
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		closed := errors.New("this shop is done for the week")
		c := newCoupon(t, p, "s", coupon.Options{Limits: []coupon.Limit{
			{Name: "shop", Scope: []string{"shop"}, Window: coupon.Week, Max: 2, Err: closed},
			{Name: "pair", Scope: []string{"user", "shop"}, Window: coupon.Month, Max: 1},
			coupon.PerUser(3),
		}})
		at := func(user, shop string) coupon.Fields {
			return coupon.Fields{"user": user, "shop": shop, "note": "a&b=c%"}
		}
		odd := "x:y z\n%\x00\xff{}"
		claim(t, c, "1", at("ann", odd))
		refused(t, c, "2", at("ann", odd), map[string]int64{"pair": 1})
		claim(t, c, "3", at("ann", "b"))
		claim(t, c, "4", at("bob", odd))
		e := refused(t, c, "5", at("cy", odd), map[string]int64{"shop": 2})
		require.ErrorIs(t, e, closed)
		claim(t, c, "6", at("ann:x", "y"))
		claim(t, c, "7", at("ann", "x:y"))
		refused(t, c, "8", at("ann", "d"), map[string]int64{"user": 3})

		r, err := c.Find(context.Background(), "4")
		require.NoError(t, err)
		require.Equal(t, coupon.Claimed, r.Outcome)
		require.Equal(t, at("bob", odd), r.Fields)
		_, err = c.Claim(context.Background(), "9", user("ann"))
		require.ErrorIs(t, err, coupon.ErrField)
		require.ErrorContains(t, err, `limit "shop" counts by shop`)
		_, err = c.Usage(context.Background(), nil)
		require.ErrorIs(t, err, coupon.ErrField)
		require.Equal(t, map[string]int64{"shop": 2}, used(t, c, coupon.Fields{"shop": odd}))
	})
}

func TestATokenClaimsOnce(t *testing.T) {
	ctx := context.Background()
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		c := newCoupon(t, p, "once", coupon.Options{Limits: []coupon.Limit{coupon.PerUser(2), coupon.InTotal(100)}})
		first := claim(t, c, "t", user("ann"))
		for range 3 {
			r, err := c.Claim(ctx, "t", user("ann"))
			require.NoError(t, err)
			require.Equal(t, coupon.Repeated, r.Outcome)
			require.Equal(t, first.At.UnixMicro(), r.At.UnixMicro())
		}
		_, err := c.Claim(ctx, "t", user("bob"))
		require.ErrorIs(t, err, coupon.ErrTokenReused)
		_, err = c.Claim(ctx, "", user("bob"))
		require.ErrorIs(t, err, coupon.ErrToken)
		require.Equal(t, map[string]int64{"user": 1, "total": 1}, used(t, c, user("ann")))

		var claimed, repeated atomic.Int64
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				for i := range 20 {
					r, err := c.Claim(ctx, fmt.Sprint("r", i), user(fmt.Sprint("u", i)))
					if err != nil {
						t.Error(err)
						return
					}
					switch r.Outcome {
					case coupon.Claimed:
						claimed.Add(1)
					case coupon.Repeated:
						repeated.Add(1)
					}
				}
			})
		}
		wg.Wait()
		require.Equal(t, int64(20), claimed.Load())
		require.Equal(t, int64(15*20), repeated.Load())
		require.Equal(t, map[string]int64{"total": 21}, used(t, c, nil))
	})
}

func TestTotalHoldsUnderConcurrency(t *testing.T) {
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		c := newCoupon(t, p, "rush", coupon.Options{Limits: []coupon.Limit{coupon.PerUserAndDay(1), coupon.InTotal(100)}})
		var claimed atomic.Int64
		var wg sync.WaitGroup
		for w := range 16 {
			wg.Go(func() {
				for i := range 25 {
					who := fmt.Sprint("u", w, "-", i)
					_, err := c.Claim(context.Background(), who, user(who))
					if err == nil {
						claimed.Add(1)
					} else if !errors.Is(err, coupon.ErrSoldOut) {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		require.Equal(t, int64(100), claimed.Load())
		require.Equal(t, map[string]int64{"total": 100}, used(t, c, nil))
	})
}

func TestUndoGivesBackOnce(t *testing.T) {
	ctx := context.Background()
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		c := newCoupon(t, p, "u", coupon.Options{Limits: []coupon.Limit{
			coupon.PerUserAndDay(2), coupon.PerUser(5), coupon.InTotal(50),
			{Name: "shop", Scope: []string{"user", "shop"}, Window: coupon.Week, Max: 9},
		}})
		f := coupon.Fields{"user": "a b:c", "shop": "\n"}
		made := claim(t, c, "t1", f)
		claim(t, c, "t2", f)
		refused(t, c, "t3", f, map[string]int64{"user-day": 2})

		var undone, already atomic.Int64
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				r, err := c.Undo(ctx, "t1")
				switch {
				case err != nil:
					t.Error(err)
				case r.Outcome == coupon.Undone:
					undone.Add(1)
				case r.Outcome == coupon.AlreadyUndone:
					already.Add(1)
				}
			})
		}
		wg.Wait()
		require.Equal(t, int64(1), undone.Load())
		require.Equal(t, int64(15), already.Load())
		require.Equal(t, map[string]int64{"user": 1, "user-day": 1, "total": 1, "shop": 1}, used(t, c, f))

		r, err := c.Claim(ctx, "t1", f)
		require.ErrorIs(t, err, coupon.ErrUndone)
		require.Equal(t, coupon.Undone, r.Outcome)
		r, err = c.Find(ctx, "t1")
		require.NoError(t, err)
		require.Equal(t, coupon.Receipt{Outcome: coupon.Undone, Token: "t1", Fields: f, At: r.At}, r)
		require.Equal(t, made.At.UnixMicro(), r.At.UnixMicro())
		claim(t, c, "t3", f)
		for _, token := range []string{"t2", "t3"} {
			r, err := c.Undo(ctx, token)
			require.NoError(t, err)
			require.Equal(t, coupon.Undone, r.Outcome)
		}
		require.Equal(t, map[string]int64{"user": 0, "user-day": 0, "total": 0, "shop": 0}, used(t, c, f))
		r, err = c.Undo(ctx, "never")
		require.ErrorIs(t, err, coupon.ErrUnknownClaim)
		require.Equal(t, coupon.NoClaim, r.Outcome)
	})
}

func TestTheCouponsOwnTime(t *testing.T) {
	ctx := context.Background()
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		const span = 500 * time.Millisecond
		now := p.Now(t, "{c}")
		later := span // so late that a server on a busy machine is not late
		if p.Advance == nil {
			later = time.Hour
		}
		pass := func(c *coupon.Coupon, token string, while error) error {
			if p.Advance != nil {
				p.Advance(span)
				_, err := c.Claim(ctx, token, user("ann"))
				return err
			}
			var last error
			require.NoError(t, patience.Try(func() error {
				if _, last = c.Claim(ctx, token, user("ann")); errors.Is(last, while) {
					return last
				}
				return nil
			}))
			return last
		}
		c := newCoupon(t, p, "c", coupon.Options{Limits: []coupon.Limit{coupon.InTotal(9)}, From: now.Add(later)})
		r, err := c.Claim(ctx, "t", user("ann"))
		require.ErrorIs(t, err, coupon.ErrNotOpen)
		require.Equal(t, coupon.Closed, r.Outcome)
		c = newCoupon(t, p, "c", coupon.Options{Limits: []coupon.Limit{coupon.InTotal(9)}, From: now.Add(span)})
		require.NoError(t, pass(c, "t", coupon.ErrNotOpen))
		require.Equal(t, map[string]int64{"total": 1}, used(t, c, nil))

		now = p.Now(t, "{d}")
		d := newCoupon(t, p, "d", coupon.Options{Limits: []coupon.Limit{coupon.InTotal(9)}, Until: now.Add(later)})
		claim(t, d, "t", user("ann"))
		require.Positive(t, p.Do(t, "PTTL", "coupon:{d}:ever").MustInt())
		if p.Advance != nil {
			p.Advance(span)
		} else {
			d = newCoupon(t, p, "d", coupon.Options{Limits: []coupon.Limit{coupon.InTotal(9)}, Until: now})
		}
		_, err = d.Claim(ctx, "t2", user("ann"))
		require.ErrorIs(t, err, coupon.ErrClosed)
		r, err = d.Claim(ctx, "t", user("ann"))
		require.NoError(t, err, "a claim that was made in time is known")
		require.Equal(t, coupon.Repeated, r.Outcome)
		r, err = d.Undo(ctx, "t")
		require.NoError(t, err)
		require.Equal(t, coupon.Undone, r.Outcome)
	})
}

func TestClaimsAreForgottenAfterTheRetention(t *testing.T) {
	ctx := context.Background()
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		// rounded up to 1 s
		c := newCoupon(t, p, "c", coupon.Options{Limits: []coupon.Limit{coupon.InTotal(9)}, Retention: 900 * time.Millisecond})
		made := claim(t, c, "t", user("ann"))
		forgotten := func() error {
			if _, err := c.Find(ctx, "t"); !errors.Is(err, coupon.ErrUnknownClaim) {
				return fmt.Errorf("still known: %v", err)
			}
			return nil
		}
		if p.Advance == nil {
			require.NoError(t, patience.Try(forgotten))
			require.GreaterOrEqual(t, p.Now(t, "{c}").Sub(made.At), time.Second)
		} else {
			p.Advance(time.Second)
			require.Error(t, forgotten())
			p.Advance(time.Second)
			require.NoError(t, forgotten())
		}
		_, err := c.Undo(ctx, "t")
		require.ErrorIs(t, err, coupon.ErrUnknownClaim)
		require.Equal(t, map[string]int64{"total": 1}, used(t, c, nil))
	})
}

func TestABrokenKeyIsAnErrorAndChangesNothing(t *testing.T) {
	ctx := context.Background()
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		c := newCoupon(t, p, "c", coupon.Options{Limits: []coupon.Limit{coupon.PerUserAndDay(1), coupon.InTotal(9)}})
		day := "coupon:{c}:day:" + p.Now(t, "{c}").UTC().Format("2006-01-02")
		p.Do(t, "SET", day, "x")
		_, err := c.Claim(ctx, "t", user("ann"))
		require.ErrorIs(t, err, engine.ErrWrongType)
		p.Do(t, "DEL", day)
		p.Do(t, "HSET", day, "user-day:ann", "many")
		_, err = c.Claim(ctx, "t", user("ann"))
		require.Error(t, err)
		p.Do(t, "DEL", day)
		require.Equal(t, map[string]int64{"user-day": 0, "total": 0}, used(t, c, user("ann")))
		_, err = c.Find(ctx, "t")
		require.ErrorIs(t, err, coupon.ErrUnknownClaim)
	})
}

func TestAServerWithoutMemoryClaimsNothing(t *testing.T) {
	ctx := context.Background()
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		c := newCoupon(t, p, "c", coupon.Options{Limits: []coupon.Limit{coupon.PerUserAndDay(9), coupon.InTotal(9)}})
		claim(t, c, "0", user("ann"))
		claim(t, c, "1", user("ann"))
		p.Configure(t, "maxmemory", "1")
		_, err := c.Claim(ctx, "2", user("ann"))
		_, undo := c.Undo(ctx, "1")
		p.Configure(t, "maxmemory", "0")
		require.ErrorContains(t, err, "OOM")
		require.ErrorContains(t, undo, "OOM")
		require.Equal(t, map[string]int64{"user-day": 2, "total": 2}, used(t, c, user("ann")))
		r, err := c.Find(ctx, "1")
		require.NoError(t, err)
		require.Equal(t, coupon.Claimed, r.Outcome)
		claim(t, c, "2", user("ann"))
		_, err = c.Undo(ctx, "1")
		require.NoError(t, err)
	})
}

func TestNewRefuses(t *testing.T) {
	for _, name := range []string{"", "{", "a}", "\xff", strings.Repeat("a", 513)} {
		_, err := coupon.New(nil, name, coupon.Options{Limits: []coupon.Limit{coupon.InTotal(1)}})
		require.ErrorIs(t, err, coupon.ErrName)
	}
	ok := []coupon.Limit{coupon.InTotal(1)}
	now := time.Unix(1_700_000_000, 0)
	for name, o := range map[string]coupon.Options{
		"no limit":        {},
		"zero":            {Limits: []coupon.Limit{coupon.PerUser(0)}},
		"negative":        {Limits: []coupon.Limit{coupon.PerUser(-1)}},
		"too many":        {Limits: []coupon.Limit{coupon.PerUser(coupon.MaxCount + 1)}},
		"no name":         {Limits: []coupon.Limit{{Max: 1}}},
		"name":            {Limits: []coupon.Limit{{Name: "a:b", Max: 1}}},
		"twice":           {Limits: []coupon.Limit{coupon.PerUser(1), coupon.PerUser(2)}},
		"window":          {Limits: []coupon.Limit{{Name: "a", Max: 1, Window: coupon.Month + 1}}},
		"scope":           {Limits: []coupon.Limit{{Name: "a", Max: 1, Scope: []string{""}}}},
		"retention":       {Limits: ok, Retention: -1},
		"end before":      {Limits: ok, From: now, Until: now},
		"far away":        {Limits: ok, Until: time.Date(1_000_000, 1, 1, 0, 0, 0, 0, time.UTC)},
		"negative window": {Limits: []coupon.Limit{{Name: "a", Max: 1, Window: -1}}},
	} {
		_, err := coupon.New(nil, "c", o)
		require.ErrorIs(t, err, coupon.ErrOptions, name)
	}
}

func TestOutcomesAndWindowsHaveNames(t *testing.T) {
	names := map[string]bool{}
	for o := coupon.Unknown; o <= coupon.NoClaim; o++ {
		names[o.String()] = true
	}
	for w := coupon.Ever; w <= coupon.Month; w++ {
		names[w.String()] = true
	}
	require.Len(t, names, 12)
	require.Equal(t, "Outcome(8)", coupon.Outcome(8).String())
	require.Equal(t, "Window(9)", coupon.Window(9).String())
}
