package ratelimit_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/ratelimit"
)

func ExampleLimiter_Allow() {
	ctx := context.Background()
	clock := engine.NewVirtualClock(time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)) // Options{} for the real one
	e, err := engine.New(engine.Options{Clock: clock})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	api, err := ratelimit.New(e, "api", ratelimit.Options{Algorithm: ratelimit.GCRA, Limit: 10, Period: time.Second, Burst: 2})
	if err != nil {
		panic(err)
	}
	for range 4 {
		d, err := api.Allow(ctx, "ann", 1)
		var limited *ratelimit.LimitedError
		switch {
		case errors.As(err, &limited):
			fmt.Println("limited; retry after", limited.Decision.RetryAfter)
			clock.Advance(limited.Decision.RetryAfter)
		case err != nil:
			fmt.Println(err)
		default:
			fmt.Println("allowed; remaining", d.Remaining)
		}
	}
	// Output:
	// allowed; remaining 1
	// allowed; remaining 0
	// limited; retry after 100ms
	// allowed; remaining 0
}

// The algorithms differ around the end of a window: the fixed window lets up to twice the limit
// through in a period.
func Example() {
	ctx := context.Background()
	for _, a := range []ratelimit.Algorithm{ratelimit.FixedWindow, ratelimit.SlidingLog} {
		clock := engine.NewVirtualClock(time.Date(2026, 1, 31, 12, 0, 59, 0, time.UTC))
		e, err := engine.New(engine.Options{Clock: clock})
		if err != nil {
			panic(err)
		}
		defer e.Close()
		mails, err := ratelimit.New(e, "mails", ratelimit.Options{Algorithm: a, Limit: 5, Period: time.Minute})
		if err != nil {
			panic(err)
		}
		if _, err := mails.Allow(ctx, "ann", 5); err != nil {
			panic(err)
		}
		clock.Advance(2 * time.Second) // the next minute has begun
		d, err := mails.Peek(ctx, "ann", 5)
		fmt.Println(a, d.Outcome, d.Remaining, err)
	}
	// Output:
	// fixed allowed 5 <nil>
	// log limited 0 <nil>
}
