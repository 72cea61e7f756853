package ratelimit

import (
	"fmt"
	"time"

	"github.com/redmoon-lua/redmoon/scripts/internal/script"
)

// Algorithm is how a limiter counts.
type Algorithm int

// The algorithms differ in how much they let through in any period of time (not only in one that
// begins at a multiple of the period): the fixed window up to twice the limit, around the end of a
// window; the sliding counter less than twice the limit; the sliding log never more than the limit;
// the token bucket and GCRA never more than limit and burst together.
const (
	// FixedWindow counts in windows of one period, which begin at multiples of the period since
	// 1970. Each window lets the limit through.
	FixedWindow Algorithm = iota + 1
	// SlidingLog remembers each call for one period. It is exact. It is the only algorithm whose
	// state grows, to as many entries as the limit.
	SlidingLog
	// SlidingCounter counts in the same windows as FixedWindow, and estimates the count of the last
	// period from the counts of this window and of the previous one. It assumes that the calls of the
	// previous window were spread evenly, and is exact if they were. If they all came at its end, it
	// lets too much through, but less than the limit: limit * (time since then) / period. If they all
	// came at its beginning, it refuses calls that SlidingLog would let through. No window lets more
	// than the limit through.
	SlidingCounter
	// TokenBucket takes tokens from a bucket that holds Burst tokens and is refilled evenly, with
	// Limit tokens per period.
	TokenBucket
	// GCRA is the generic cell rate algorithm. It makes the same decisions as TokenBucket, and its
	// state is a single time.
	GCRA
)

var algorithms = script.Names{
	FixedWindow: "fixed", SlidingLog: "log", SlidingCounter: "counter", TokenBucket: "bucket", GCRA: "gcra",
}

// String is the name of the algorithm, as in keys.
func (a Algorithm) String() string { return algorithms.Of("Algorithm", int(a)) }

// MarshalText returns the text of String, also in JSON.
func (a Algorithm) MarshalText() ([]byte, error) {
	return algorithms.Text("ratelimit.Algorithm", int(a))
}

// UnmarshalText reads what MarshalText returns, and refuses any other text.
func (a *Algorithm) UnmarshalText(text []byte) error {
	return algorithms.Read("ratelimit.Algorithm", (*int)(a), text)
}

// Options of a limiter. Algorithm, Limit and Period must be set. Every process that uses the
// limiter should pass the same options.
//
// The arithmetic must be exact, which bounds products too, with the period in microseconds: for
// SlidingCounter Limit * Period, and for TokenBucket and GCRA Burst * Period / (greatest common
// divisor of Limit and Period), must be at most 2^51. [New] returns [ErrOptions] otherwise.
type Options struct {
	Algorithm Algorithm
	// Limit is how much is let through per Period. From 1 to 2^51.
	Limit int64
	// Period is the time to which Limit refers, in whole microseconds, from 1 µs to 366 days.
	Period time.Duration
	// Burst is how much is let through at one moment, for TokenBucket and GCRA. From 1 to 2^51;
	// default: Limit. It must be 0 for the other algorithms.
	Burst int64
}

// maxExact bounds products, so that sums of four of them are exact in float64.
const maxExact = 1 << 51

// maxPeriod keeps sums of times far below the limits of float64.
const maxPeriod = 366 * 24 * time.Hour

// compiled is the options as its script gets them.
type compiled struct {
	capacity int64    // the most that one call can take
	args     []string // all but the amount to take
}

func (o Options) compile() (compiled, error) {
	fail := func(format string, args ...any) (compiled, error) {
		return compiled{}, fmt.Errorf("%w: "+format, append([]any{ErrOptions}, args...)...)
	}
	micros := o.Period.Microseconds()
	switch {
	case o.Limit < 1 || o.Limit > maxExact:
		return fail("Limit %d is not from 1 to 2^51", o.Limit)
	case o.Period < time.Microsecond || o.Period > maxPeriod:
		return fail("Period %v is not from 1 µs to 366 days", o.Period)
	case o.Period%time.Microsecond != 0:
		return fail("Period %v is not in whole microseconds", o.Period)
	case o.Burst < 0 || o.Burst > maxExact:
		return fail("Burst %d is not from 0 to 2^51", o.Burst)
	}
	switch o.Algorithm {
	case TokenBucket, GCRA:
		script.Default(&o.Burst, o.Limit)
		d := gcd(o.Limit, micros)
		rate, unit := o.Limit/d, micros/d
		if o.Burst > maxExact/unit {
			return fail("%d per %v with a Burst of %d is not exact in float64", o.Limit, o.Period, o.Burst)
		}
		return compiled{o.Burst, []string{script.Int(rate), script.Int(unit), script.Int(o.Burst)}}, nil
	case FixedWindow, SlidingLog, SlidingCounter:
		if o.Burst != 0 {
			return fail("%v has no Burst, but it is %d", o.Algorithm, o.Burst)
		}
		if o.Algorithm == SlidingCounter && o.Limit > maxExact/micros {
			return fail("%d per %v is not exact in float64", o.Limit, o.Period)
		}
		return compiled{o.Limit, []string{script.Int(o.Limit), script.Int(micros)}}, nil
	}
	return fail("%v does not exist", o.Algorithm)
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
