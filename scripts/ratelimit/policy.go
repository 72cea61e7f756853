package ratelimit

import (
	"errors"
	"fmt"
	"strconv"
	"time"
)

// Algorithm is how a limiter counts.
type Algorithm int

// The algorithms. Over any time as long as the period: the fixed window lets through up to twice the limit (around the end of a window), the
// sliding counter less than twice (see its own comment), the sliding log never more than the limit, the token bucket and GCRA never more than limit
// and burst together.
const (
	// FixedWindow counts in windows of one period each, which begin at multiples of the period since 1970. Each window lets through the limit.
	FixedWindow Algorithm = iota + 1
	// SlidingLog remembers each call for a period: exact, and the only one whose state grows, to as many entries as the limit.
	SlidingLog
	// SlidingCounter estimates the last period by the counts of this window and of the window before it, as if the latter's were spread
	// evenly. It is exact if they are. If they all came at that window's end, as much as limit * (time since then) / period too much is let through, which is
	// less than the limit; if they came at its beginning, calls are refused that a log would let through. No window lets through more than the limit.
	SlidingCounter
	// TokenBucket takes tokens from a bucket that holds Burst of them and is refilled by Limit a period, evenly.
	TokenBucket
	// GCRA is the generic cell rate algorithm: it decides as the token bucket does, with one time as its state.
	GCRA
)

// String is the algorithm's name in keys.
func (a Algorithm) String() string {
	switch a {
	case FixedWindow:
		return "fixed"
	case SlidingLog:
		return "log"
	case SlidingCounter:
		return "counter"
	case TokenBucket:
		return "bucket"
	case GCRA:
		return "gcra"
	}
	return fmt.Sprintf("Algorithm(%d)", int(a))
}

// Policy is what a limiter lets through.
type Policy struct {
	Algorithm Algorithm
	// Limit is how many a period, at least 1.
	Limit int64
	// Period is in whole microseconds, from 1 µs to 366 days.
	Period time.Duration
	// Burst is how many at once, for TokenBucket and GCRA; 0 means Limit. The others have no burst but the limit.
	Burst int64
}

// ErrPolicy is returned by New for a policy that cannot be, or whose arithmetic would not be exact in the float64 of a script.
var ErrPolicy = errors.New("ratelimit: bad policy")

// maxExact bounds products, so that sums of four of them are exact in float64.
const maxExact = 1 << 51

// maxPeriod keeps sums of times far from where float64 ends.
const maxPeriod = 366 * 24 * time.Hour

// compiled is a policy as its script gets it.
type compiled struct {
	capacity int64    // the most that a call can take
	args     []string // all but how much to take
}

func (p Policy) compile() (compiled, error) {
	micros := p.Period.Microseconds()
	switch {
	case p.Limit < 1 || p.Limit > maxExact:
		return compiled{}, fmt.Errorf("%w: a limit of %d", ErrPolicy, p.Limit)
	case p.Period < time.Microsecond || p.Period > maxPeriod || p.Period%time.Microsecond != 0:
		return compiled{}, fmt.Errorf("%w: a period of %v", ErrPolicy, p.Period)
	case p.Burst < 0 || p.Burst > maxExact:
		return compiled{}, fmt.Errorf("%w: a burst of %d", ErrPolicy, p.Burst)
	}
	switch p.Algorithm {
	case TokenBucket, GCRA:
		if p.Burst == 0 {
			p.Burst = p.Limit
		}
		d := gcd(p.Limit, micros)
		rate, unit := p.Limit/d, micros/d
		if p.Burst > maxExact/unit {
			return compiled{}, fmt.Errorf("%w: %d in %v with a burst of %d needs too large numbers", ErrPolicy, p.Limit, p.Period, p.Burst)
		}
		return compiled{p.Burst, []string{decimal(rate), decimal(unit), decimal(p.Burst)}}, nil
	case FixedWindow, SlidingLog, SlidingCounter:
		if p.Burst != 0 {
			return compiled{}, fmt.Errorf("%w: %v has no burst", ErrPolicy, p.Algorithm)
		}
		if p.Algorithm == SlidingCounter && p.Limit > maxExact/micros {
			return compiled{}, fmt.Errorf("%w: %d in %v needs too large numbers", ErrPolicy, p.Limit, p.Period)
		}
		return compiled{p.Limit, []string{decimal(p.Limit), decimal(micros)}}, nil
	}
	return compiled{}, fmt.Errorf("%w: there is no algorithm %d", ErrPolicy, int(p.Algorithm))
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
