package keep

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/redmoon-lua/redmoon/scripts/internal/script"
)

// MinTTL is the shortest time to live of a lease.
const MinTTL = 10 * time.Millisecond

// Timing is the options that all kinds of locks have.
type Timing struct {
	TTL                time.Duration
	Jitter             float64
	RetryMin, RetryMax time.Duration
}

// Fill sets the defaults, of which retryMin and retryMax differ between kinds of locks. It returns
// an error that wraps sentinel if an option is out of range.
func (t *Timing) Fill(sentinel error, retryMin, retryMax time.Duration) error {
	script.Default(&t.TTL, 30*time.Second)
	script.Default(&t.RetryMin, retryMin)
	script.Default(&t.RetryMax, max(retryMax, t.RetryMin))
	script.Default(&t.Jitter, 0.1)
	t.Jitter = max(t.Jitter, 0)
	switch {
	case t.TTL < MinTTL:
		return fmt.Errorf("%w: TTL %v is below %v", sentinel, t.TTL, MinTTL)
	case !(t.Jitter <= 1): // NaN is out of range, too
		return fmt.Errorf("%w: Jitter %v is above 1", sentinel, t.Jitter)
	case t.RetryMin < 0:
		return fmt.Errorf("%w: RetryMin %v is negative", sentinel, t.RetryMin)
	case t.RetryMax < t.RetryMin:
		return fmt.Errorf("%w: RetryMax %v is below RetryMin %v", sentinel, t.RetryMax, t.RetryMin)
	}
	return nil
}

// Jittered is ttl made longer by a random part of it, at most jitter.
func Jittered(ttl time.Duration, jitter float64) time.Duration {
	return ttl + time.Duration(rand.Float64()*jitter*float64(ttl))
}
