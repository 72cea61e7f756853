package delayqueue

import (
	"math/rand/v2"
	"time"
)

// Exponential returns a back-off that doubles from first to most, with jitter: the delay is a random one between half of that and all of it, so
// that what has failed together does not come back together.
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
