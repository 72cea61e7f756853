package replay

// The clock of the engine, which stands at the time of the operation that runs.

import (
	"slices"
	"sync"
	"time"
)

// clock is the clock of the engine: it stands at the time of the operation that runs. It may be set
// back a little, because the times of operations are known only to the milliseconds between request
// and reply. Timers are late by that uncertainty: so a key is still there, and can be found alive,
// when an operation shows that it has not expired yet.
type clock struct {
	mu     sync.Mutex
	now    time.Time
	timers []*timer // by time, then by age
}

type timer struct {
	at time.Time
	f  func()
}

// Now implements engine.Clock.
func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// AfterFunc implements engine.Clock.
func (c *clock) AfterFunc(d time.Duration, f func()) (stop func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &timer{c.now.Add(d), f}
	i := len(c.timers)
	for i > 0 && c.timers[i-1].at.After(t.at) {
		i--
	}
	c.timers = slices.Insert(c.timers, i, t)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if i := slices.Index(c.timers, t); i >= 0 {
			c.timers = slices.Delete(c.timers, i, i+1)
		}
	}
}

// Sleep implements engine.Clock.
func (c *clock) Sleep(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(max(d, 0))
}

// set sets the clock, and calls the functions of the timers that have been due for late.
func (c *clock) set(t time.Time, late time.Duration) {
	c.mu.Lock()
	c.now = t
	for len(c.timers) > 0 && !c.timers[0].at.Add(late).After(t) {
		f := c.timers[0].f
		c.timers = c.timers[1:]
		c.mu.Unlock()
		f()
		c.mu.Lock()
	}
	c.mu.Unlock()
}
