package ratelimit_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"sort"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/redmoontest"
	"github.com/redmoon-lua/redmoon/scripts/ratelimit"
)

// taken is what was let through at a time, in microseconds.
type taken struct{ at, n int64 }

// model says slowly what a policy lets through: from the calls that were let through, in fractions.
type model struct {
	p       ratelimit.Options
	burst   int64
	history []taken
}

func (m *model) period() int64 { return m.p.Period.Microseconds() }

// between is what was taken from one time to another, the second excluded.
func (m *model) between(from, until int64) (n int64) {
	for _, t := range m.history {
		if t.at >= from && t.at < until {
			n += t.n
		}
	}
	return n
}

// used is how much is taken at a time not before the last call.
func (m *model) used(now int64) *big.Rat {
	p := m.period()
	start := now / p * p
	switch m.p.Algorithm {
	case ratelimit.FixedWindow:
		return big.NewRat(m.between(start, start+p), 1)
	case ratelimit.SlidingLog:
		return big.NewRat(m.between(now-p+1, now+1), 1)
	case ratelimit.SlidingCounter:
		part := new(big.Rat).Mul(big.NewRat(p-(now-start), p), big.NewRat(m.between(start-p, start), 1))
		return part.Add(part, big.NewRat(m.between(start, start+p), 1))
	}
	used := new(big.Rat)
	last := int64(0)
	for _, t := range append(m.history, taken{at: now}) {
		used.Sub(used, new(big.Rat).Mul(big.NewRat(t.at-last, 1), big.NewRat(m.p.Limit, p)))
		if used.Sign() < 0 {
			used.SetInt64(0)
		}
		used.Add(used, big.NewRat(t.n, 1))
		last = t.at
	}
	return used
}

func (m *model) allows(now, n int64) bool {
	return new(big.Rat).Add(m.used(now), big.NewRat(n, 1)).Cmp(big.NewRat(m.burst, 1)) <= 0
}

// remaining is what is left, in whole numbers.
func (m *model) remaining(now int64) int64 {
	left := new(big.Rat).Sub(big.NewRat(m.burst, 1), m.used(now))
	return new(big.Int).Div(left.Num(), left.Denom()).Int64()
}

// wait is the least time, in microseconds, after which ok holds; once it does it goes on to.
func (m *model) wait(now int64, ok func(at int64) bool) int64 {
	longest := 2*m.period() + m.period()*m.burst/m.p.Limit + 1
	return int64(sort.Search(int(longest), func(d int) bool { return ok(now + int64(d)) }))
}

// forget drops what is past counting, so that the model does not get too slow.
func (m *model) forget(now int64) {
	if m.wait(now, func(at int64) bool { return m.used(at).Sign() == 0 }) == 0 {
		m.history = nil
	}
}

func algorithms() []ratelimit.Algorithm {
	return []ratelimit.Algorithm{
		ratelimit.FixedWindow, ratelimit.SlidingLog, ratelimit.SlidingCounter, ratelimit.TokenBucket, ratelimit.GCRA,
	}
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

func randomOptions(r *rand.Rand, a ratelimit.Algorithm) ratelimit.Options {
	p := ratelimit.Options{
		Algorithm: a,
		Limit:     pick[int64](r, 1, 2, 3, 7, 10, 97, 300),
		Period: pick(r, time.Microsecond, 7*time.Microsecond, 999*time.Microsecond, 1001*time.Microsecond, 333333*time.Microsecond,
			time.Second, time.Hour),
	}
	if a == ratelimit.TokenBucket || a == ratelimit.GCRA {
		p.Burst = pick[int64](r, 0, 1, 2, 5, 11, 150)
	}
	return p
}

func capacity(p ratelimit.Options) int64 {
	if p.Burst != 0 {
		return p.Burst
	}
	return p.Limit
}

// TestEveryDecisionIsThatOfTheModel plays random calls at random times. Each answer is the model's,
// to the microsecond.
func TestEveryDecisionIsThatOfTheModel(t *testing.T) {
	for _, a := range algorithms() {
		t.Run(a.String(), func(t *testing.T) {
			allowed, limited := 0, 0
			for seed := range uint64(15) {
				r := rand.New(rand.NewPCG(seed, uint64(a)))
				e := redmoontest.New(t)
				e.Advance(time.Duration(r.Int64N(1e12)) * time.Microsecond)
				p := randomOptions(r, a)
				l := newLimiter(t, e, p)
				m := &model{p: p, burst: capacity(p)}
				for range 60 {
					now := e.Now().UnixMicro()
					m.forget(now)
					n := 1 + r.Int64N(min(m.burst, pick[int64](r, 1, 3, 1000)))
					d, err := peekOrAllow(l, r, n)
					want := m.allows(now, n)
					if d.peeked {
						require.NoError(t, err)
					} else if want {
						require.NoError(t, err)
						m.history = append(m.history, taken{now, n})
					} else {
						require.ErrorIs(t, err, ratelimit.ErrLimited)
						var limit *ratelimit.LimitedError
						require.ErrorAs(t, err, &limit)
						require.Equal(t, d.Decision, limit.Decision)
					}
					expect := ratelimit.Decision{Outcome: ratelimit.Allowed, Limit: m.burst, Remaining: m.remaining(now)}
					if want {
						allowed++
					} else {
						limited++
						expect.Outcome = ratelimit.Limited
						expect.RetryAfter = time.Duration(m.wait(now, func(at int64) bool { return m.allows(at, n) })) * time.Microsecond
					}
					expect.ResetAfter = time.Duration(m.wait(now, func(at int64) bool { return m.used(at).Sign() == 0 })) * time.Microsecond
					require.Equal(t, expect, d.Decision, "seed %d: %+v, %d at %d", seed, p, n, now)
					e.Advance(randomStep(r, p, d.Decision))
				}
			}
			require.Greater(t, allowed, 100)
			require.Greater(t, limited, 100)
		})
	}
}

type peeked struct {
	ratelimit.Decision
	peeked bool
}

func peekOrAllow(l *ratelimit.Limiter, r *rand.Rand, n int64) (peeked, error) {
	if r.IntN(4) == 0 {
		d, err := l.Peek(context.Background(), "k", n)
		return peeked{d, true}, err
	}
	d, err := l.Allow(context.Background(), "k", n)
	return peeked{d, false}, err
}

// randomStep is how long to wait: not at all, nearly long enough, just long enough, or any time.
func randomStep(r *rand.Rand, p ratelimit.Options, d ratelimit.Decision) time.Duration {
	step := pick(r, 0, time.Microsecond, d.RetryAfter, d.RetryAfter-time.Microsecond, d.ResetAfter, d.ResetAfter-time.Microsecond,
		p.Period/time.Duration(p.Limit), p.Period, p.Period-time.Microsecond, time.Duration(r.Int64N(int64(2*p.Period))))
	return max(0, step.Truncate(time.Microsecond))
}

// TestAClockThatIsSetBackIsHarmless: nothing becomes free by it, and nobody waits longer than it
// takes for all to be left twice over.
func TestAClockThatIsSetBackIsHarmless(t *testing.T) {
	ctx := context.Background()
	for _, a := range algorithms() {
		t.Run(a.String(), func(t *testing.T) {
			refused := 0
			for seed := range uint64(30) {
				r := rand.New(rand.NewPCG(seed, uint64(a)))
				e := redmoontest.New(t)
				e.Advance(time.Duration(r.Int64N(1e12)) * time.Microsecond)
				p := randomOptions(r, a)
				l := newLimiter(t, e, p)
				longest := 2 * max(p.Period, p.Period/time.Duration(p.Limit)*time.Duration(capacity(p))+2*p.Period/time.Duration(p.Limit)+
					time.Microsecond)
				for range 12 {
					for range 5 {
						_, err := l.Allow(ctx, "k", 1+r.Int64N(capacity(p)))
						require.True(t, err == nil || errors.Is(err, ratelimit.ErrLimited), err)
						e.Advance(randomStep(r, p, ratelimit.Decision{}))
					}
					before, err := l.Peek(ctx, "k", 1)
					require.NoError(t, err)
					back := pick(r, time.Microsecond, p.Period/3, p.Period, 2*p.Period, 10*p.Period, time.Hour, 24*time.Hour).Truncate(time.Microsecond)
					e.SetTime(e.Now().Add(-back))
					n := 1 + r.Int64N(capacity(p))
					d, err := l.Allow(ctx, "k", n)
					if n > before.Remaining {
						require.ErrorIs(t, err, ratelimit.ErrLimited, "seed %d: %+v back by %v: %d of %d", seed, p, back, n, before.Remaining)
					}
					if err != nil {
						refused++
						require.LessOrEqual(t, d.Remaining, before.Remaining)
					}
					require.LessOrEqual(t, d.RetryAfter, longest, "%+v back by %v", p, back)
					require.LessOrEqual(t, d.ResetAfter, longest, "%+v back by %v", p, back)
					if r.IntN(2) == 0 {
						e.Advance(d.RetryAfter)
						_, err = l.Allow(ctx, "k", n)
						if d.Outcome == ratelimit.Limited {
							require.NoError(t, err, "%+v back by %v, %d after %v", p, back, n, d.RetryAfter)
						}
					}
				}
			}
			require.Greater(t, refused, 50)
		})
	}
}

// TestGCRAIsTheTokenBucket: the two decide alike.
func TestGCRAIsTheTokenBucket(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(15) {
		r := rand.New(rand.NewPCG(seed, 99))
		e := redmoontest.New(t)
		p := randomOptions(r, ratelimit.TokenBucket)
		p.Limit = 1 + r.Int64N(1e6)
		bucket := newLimiter(t, e, p)
		p.Algorithm = ratelimit.GCRA
		gcra := newLimiter(t, e, p)
		for range 100 {
			n := 1 + r.Int64N(min(capacity(p), pick[int64](r, 2, 1e6)))
			x, errX := bucket.Allow(ctx, "k", n)
			y, errY := gcra.Allow(ctx, "k", n)
			require.Equal(t, x, y, fmt.Sprintf("%+v", p))
			require.Equal(t, errX, errY)
			e.Advance(randomStep(r, p, x))
		}
	}
}
