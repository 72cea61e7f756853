package ratelimit_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/everywhere"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/redmoontest"
	"github.com/redmoon-lua/redmoon/scripts/ratelimit"
)

func newLimiter(t testing.TB, c engine.Client, o ratelimit.Options) *ratelimit.Limiter {
	t.Helper()
	l, err := ratelimit.New(c, "test", o)
	require.NoError(t, err)
	return l
}

// everyAlgorithm runs a test in every place with every algorithm.
func everyAlgorithm(t *testing.T, f func(t *testing.T, p everywhere.Place, a ratelimit.Algorithm)) {
	everywhere.Run(t, func(t *testing.T, p everywhere.Place) {
		for _, a := range algorithms() {
			t.Run(a.String(), func(t *testing.T) { f(t, p, a) })
		}
	})
}

func TestTheLimitHoldsForEachKey(t *testing.T) {
	ctx := context.Background()
	everyAlgorithm(t, func(t *testing.T, p everywhere.Place, a ratelimit.Algorithm) {
		l := newLimiter(t, p, ratelimit.Options{Algorithm: a, Limit: 5, Period: 24 * time.Hour})
		for _, key := range []string{"ann", "bob", "}{", "x\x00\xff y"} {
			d, err := l.Allow(ctx, key, 3)
			require.NoError(t, err)
			require.Equal(t, ratelimit.Allowed, d.Outcome)
			require.Equal(t, int64(5), d.Limit)
			require.Equal(t, int64(2), d.Remaining)
			require.Zero(t, d.RetryAfter)
			require.Positive(t, d.ResetAfter)

			d, err = l.Allow(ctx, key, 3)
			require.ErrorIs(t, err, ratelimit.ErrLimited)
			require.ErrorContains(t, err, "ratelimit: limited, retry after ")
			require.Equal(t, ratelimit.Limited, d.Outcome)
			require.Equal(t, int64(2), d.Remaining)
			require.Positive(t, d.RetryAfter)
			require.LessOrEqual(t, d.RetryAfter, 48*time.Hour)

			peek, err := l.Peek(ctx, key, 3)
			require.NoError(t, err)
			require.Equal(t, ratelimit.Limited, peek.Outcome)
			peek, err = l.Peek(ctx, key, 2)
			require.NoError(t, err)
			require.Equal(t, ratelimit.Allowed, peek.Outcome)
			require.Equal(t, int64(2), peek.Remaining)
			d, err = l.Allow(ctx, key, 2)
			require.NoError(t, err)
			require.Zero(t, d.Remaining)

			name := fmt.Sprintf("ratelimit:%v:test:{%s}", a, key)
			require.Positive(t, p.Do(t, "PTTL", name).MustInt(), "the state expires by itself")
			require.NoError(t, l.Reset(ctx, key))
			require.Zero(t, p.Do(t, "EXISTS", name).MustInt())
			d, err = l.Peek(ctx, key, 1)
			require.NoError(t, err)
			require.Equal(t, ratelimit.Decision{Outcome: ratelimit.Allowed, Limit: 5, Remaining: 5}, d)
		}
		require.NoError(t, l.Reset(ctx, "never seen"))
	})
}

func TestWhatCannotBeIsRefused(t *testing.T) {
	ctx := context.Background()
	everyAlgorithm(t, func(t *testing.T, p everywhere.Place, a ratelimit.Algorithm) {
		l := newLimiter(t, p, ratelimit.Options{Algorithm: a, Limit: 5, Period: time.Second})
		for _, n := range []int64{0, -1} {
			d, err := l.Allow(ctx, "k", n)
			require.ErrorIs(t, err, ratelimit.ErrCost)
			require.Zero(t, d)
			_, err = l.Peek(ctx, "k", n)
			require.ErrorIs(t, err, ratelimit.ErrCost)
		}
		d, err := l.Allow(ctx, "k", 6)
		require.ErrorIs(t, err, ratelimit.ErrNeverAllowed)
		require.Equal(t, ratelimit.Decision{Outcome: ratelimit.NeverAllowed, Limit: 5}, d)
		d, err = l.Peek(ctx, "k", 6)
		require.NoError(t, err)
		require.Equal(t, ratelimit.NeverAllowed, d.Outcome)
		_, err = l.Allow(ctx, "", 1)
		require.ErrorIs(t, err, ratelimit.ErrKey)
		require.ErrorIs(t, l.Reset(ctx, ""), ratelimit.ErrKey)

		key := fmt.Sprintf("ratelimit:%v:test:{k}", a)
		require.Zero(t, p.Do(t, "EXISTS", key).MustInt())
		p.Do(t, "SADD", key, "x")
		_, err = l.Allow(ctx, "k", 1)
		require.ErrorIs(t, err, engine.ErrWrongType)
		require.Equal(t, "set", p.Do(t, "TYPE", key).Text())
		p.Do(t, "DEL", key)
		if a == ratelimit.SlidingLog {
			p.Do(t, "RPUSH", key, "what")
		} else {
			p.Do(t, "SET", key, "what")
		}
		_, err = l.Allow(ctx, "k", 1)
		require.Error(t, err)
		require.False(t, errors.Is(err, ratelimit.ErrLimited))
		p.Do(t, "DEL", key)
	})
}

// call is one that was let through: at some time between from and until.
type call struct{ from, until time.Time }

// TestNoWindowLetsThroughMore lets many call at the same time for a while, and looks at all spans
// of time as long as the period.
func TestNoWindowLetsThroughMore(t *testing.T) {
	const period, limit, callers = 100 * time.Millisecond, 20, 8
	ctx := context.Background()
	everyAlgorithm(t, func(t *testing.T, p everywhere.Place, a ratelimit.Algorithm) {
		l := newLimiter(t, p, ratelimit.Options{Algorithm: a, Limit: limit, Period: period})
		most := map[ratelimit.Algorithm]int{
			ratelimit.FixedWindow: 2 * limit, ratelimit.SlidingLog: limit, ratelimit.SlidingCounter: 2*limit - 1,
			ratelimit.TokenBucket: 2 * limit, ratelimit.GCRA: 2 * limit,
		}[a]
		begin, advanced := time.Now(), time.Duration(0)
		now := time.Now
		if p.Advance != nil {
			now = func() time.Time { return begin.Add(advanced) }
		}
		var calls []call
		for now().Sub(begin) < 5*period {
			var mu sync.Mutex
			var wg sync.WaitGroup
			for range callers {
				wg.Go(func() {
					for range 10 {
						from := now()
						d, err := l.Allow(ctx, "k", 1)
						until := now()
						mu.Lock()
						if err == nil {
							calls = append(calls, call{from, until})
						} else if !errors.Is(err, ratelimit.ErrLimited) || d.RetryAfter <= 0 || d.RetryAfter > 2*period {
							t.Errorf("%v, %+v", err, d)
						}
						mu.Unlock()
					}
				})
			}
			wg.Wait()
			if p.Advance != nil {
				p.Advance(9 * time.Millisecond)
				advanced += 9 * time.Millisecond
			}
		}
		require.GreaterOrEqual(t, len(calls), limit)
		for _, first := range calls {
			end, n := first.from.Add(period-time.Millisecond), 0
			for _, c := range calls {
				if !c.from.Before(first.from) && !c.until.After(end) {
					n++
				}
			}
			require.LessOrEqual(t, n, most)
		}
	})
}

func TestRetryAfterIsLongEnough(t *testing.T) {
	ctx := context.Background()
	everyAlgorithm(t, func(t *testing.T, p everywhere.Place, a ratelimit.Algorithm) {
		l := newLimiter(t, p, ratelimit.Options{Algorithm: a, Limit: 3, Period: 100 * time.Millisecond})
		for range 4 {
			d, err := l.Allow(ctx, "k", 2)
			if err == nil {
				continue
			}
			require.ErrorIs(t, err, ratelimit.ErrLimited)
			if p.Advance != nil {
				p.Advance(d.RetryAfter - time.Microsecond)
				_, err = l.Allow(ctx, "k", 2)
				require.ErrorIs(t, err, ratelimit.ErrLimited)
				p.Advance(time.Microsecond)
			} else {
				free := p.Now(t, "{k}").Add(d.RetryAfter)
				require.NoError(t, patience.Try(func() error {
					if p.Now(t, "{k}").Before(free) {
						return errors.New("it is not time yet")
					}
					return nil
				}))
			}
			_, err = l.Allow(ctx, "k", 2)
			require.NoError(t, err)
		}
	})
}

func TestKeysExpireWhenAllIsLeft(t *testing.T) {
	ctx := context.Background()
	for _, a := range algorithms() {
		e := redmoontest.New(t)
		e.Advance(123456 * time.Microsecond)
		l := newLimiter(t, e, ratelimit.Options{Algorithm: a, Limit: 3, Period: time.Minute})
		d, err := l.Allow(ctx, "k", 3)
		require.NoError(t, err)
		e.Advance(d.ResetAfter - time.Microsecond)
		require.Len(t, e.Keyspace(), 1)
		e.Advance(2 * time.Second)
		require.Empty(t, e.Keyspace())
	}
}

// TestALongLog: hundreds of entries expire together, and the waiting time is until enough of them
// have.
func TestALongLog(t *testing.T) {
	ctx := context.Background()
	e := redmoontest.New(t)
	l := newLimiter(t, e, ratelimit.Options{Algorithm: ratelimit.SlidingLog, Limit: 1000, Period: time.Second})
	for range 1000 {
		_, err := l.Allow(ctx, "k", 1)
		require.NoError(t, err)
		e.Advance(500 * time.Microsecond)
	}
	for _, n := range []int64{1, 100, 129, 500, 1000} {
		d, err := l.Peek(ctx, "k", n)
		require.NoError(t, err)
		require.Equal(t, 500*time.Millisecond+time.Duration(n-1)*500*time.Microsecond, d.RetryAfter)
	}
	e.Advance(700 * time.Millisecond)
	d, err := l.Allow(ctx, "k", 401)
	require.NoError(t, err)
	require.Zero(t, d.Remaining)
	e.SetTime(e.Now().Add(-10 * time.Second))
	d, err = l.Peek(ctx, "k", 1)
	require.NoError(t, err)
	require.Equal(t, 500*time.Microsecond, d.RetryAfter, "the distances are as before")
}

func TestNewRefuses(t *testing.T) {
	for _, a := range algorithms() {
		for name, p := range map[string]ratelimit.Options{
			"limit":     {Limit: 0, Period: time.Second},
			"negative":  {Limit: -1, Period: time.Second},
			"huge":      {Limit: 1<<51 + 1, Period: time.Second},
			"period":    {Limit: 1},
			"backward":  {Limit: 1, Period: -time.Second},
			"fraction":  {Limit: 1, Period: time.Microsecond + 1},
			"centuries": {Limit: 1, Period: 367 * 24 * time.Hour},
			"burst":     {Limit: 1, Period: time.Second, Burst: -1},
		} {
			p.Algorithm = a
			_, err := ratelimit.New(nil, "x", p)
			require.ErrorIs(t, err, ratelimit.ErrOptions, "%v %s", a, name)
		}
	}
	for _, p := range []ratelimit.Options{
		{Limit: 1, Period: time.Second},
		{Algorithm: ratelimit.GCRA + 1, Limit: 1, Period: time.Second},
		{Algorithm: ratelimit.FixedWindow, Limit: 1, Period: time.Second, Burst: 1},
		{Algorithm: ratelimit.SlidingCounter, Limit: 1 << 30, Period: time.Hour},
		{Algorithm: ratelimit.GCRA, Limit: 1<<30 + 1, Period: time.Hour},
	} {
		_, err := ratelimit.New(nil, "x", p)
		require.ErrorIs(t, err, ratelimit.ErrOptions, "%+v", p)
	}
	_, err := ratelimit.New(nil, "x", ratelimit.Options{Algorithm: ratelimit.TokenBucket, Limit: 1e6, Period: 24 * time.Hour})
	require.NoError(t, err, "1 in 86,400 µs")
	for _, name := range []string{"", "{", "}"} {
		_, err := ratelimit.New(nil, name, ratelimit.Options{Algorithm: ratelimit.GCRA, Limit: 1, Period: time.Second})
		require.ErrorIs(t, err, ratelimit.ErrName)
	}
}

func TestNames(t *testing.T) {
	require.Equal(t, "never allowed", ratelimit.NeverAllowed.String())
	require.Equal(t, "limited", ratelimit.Limited.String())
	require.Equal(t, "Outcome(4)", ratelimit.Outcome(4).String())
	require.Equal(t, "Algorithm(0)", ratelimit.Algorithm(0).String())
	require.Nil(t, ratelimit.AllowScript(0))
}
