package delayqueue

import (
	"math/rand/v2"
	"time"
)

// Exponential returns a function for Options.Backoff. Its delay doubles with each attempt, from
// first to most, and is random between half of that and all of it, so that messages that failed
// together are not retried together.
func Exponential(first, most time.Duration) func(attempt int) time.Duration {
	return func(attempt int) time.Duration {
		d := max(first, 1)
		for ; attempt > 1 && d < most; attempt-- {
			d *= 2
			if d <= 0 { // past the largest duration
				d = most
			}
		}
		d = min(d, most)
		return d - rand.N(d/2+1)
	}
}
