package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
)

// The clock moves between the moment at which a turn reads it and the one at which the turn sets a
// timer: the timer is due at the time that the turn meant.
func TestATimerCountsFromTheTimeOfItsTurn(t *testing.T) {
	start := time.Unix(1000, 0)
	for name, c := range map[string]struct{ moved, wait, rest time.Duration }{
		"not moved":      {0, 200 * time.Millisecond, 200 * time.Millisecond},
		"moved a little": {500 * time.Microsecond, 200 * time.Millisecond, 199500 * time.Microsecond},
		"moved":          {100 * time.Millisecond, 200 * time.Millisecond, 100 * time.Millisecond},
		"moved past it":  {400 * time.Millisecond, 200 * time.Millisecond, 0},
	} {
		t.Run(name, func(t *testing.T) {
			clock, called := NewVirtualClock(start), make(chan struct{}, 1)
			clock.Advance(c.moved)
			clock.afterTime(start, c.wait, func() { called <- struct{}{} })
			if c.rest > 0 {
				clock.Advance(c.rest - time.Microsecond)
				require.Empty(t, called)
				clock.Advance(time.Microsecond)
			}
			patience.Receive(t, called)
		})
	}
}
