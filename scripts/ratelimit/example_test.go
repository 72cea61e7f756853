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
