package backend

import (
	"sync"
	"time"
)

// Clock is the clock of a dialogue's engine. It follows the machine's clock until the user moves or
// stops it. [NewClock] makes it.
type Clock struct {
	mu     sync.Mutex
	ahead  time.Duration // offset to the machine's clock
	frozen time.Time     // the time at which the clock is stopped; zero: it is running
	timers map[*clockTimer]struct{}
}

// clockTimer is a call of AfterFunc. The clock's mutex guards its fields.
type clockTimer struct {
	at   time.Time
	f    func()
	wake *time.Timer // nil while the clock is stopped
}

// NewClock returns a clock that shows the machine's time.
func NewClock() *Clock { return &Clock{timers: map[*clockTimer]struct{}{}} }

// Now implements engine.Clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now()
}

func (c *Clock) now() time.Time {
	if !c.frozen.IsZero() {
		return c.frozen
	}
	return time.Now().Add(c.ahead)
}

// Sleep implements engine.Clock. It moves a clock that is stopped.
func (c *Clock) Sleep(d time.Duration) {
	if _, frozen := c.State(); frozen {
		c.Move(d)
		return
	}
	time.Sleep(d)
}

// AfterFunc implements engine.Clock.
func (c *Clock) AfterFunc(d time.Duration, f func()) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &clockTimer{at: c.now().Add(d), f: f}
	c.timers[t] = struct{}{}
	c.arm(t)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.timers, t)
		t.disarm()
	}
}

// arm starts the timer of t, unless the clock is stopped before t.at.
func (c *Clock) arm(t *clockTimer) {
	t.disarm()
	wait := t.at.Sub(c.now())
	if !c.frozen.IsZero() && wait > 0 {
		return
	}
	t.wake = time.AfterFunc(max(wait, 0), func() { c.fire(t) })
}

func (t *clockTimer) disarm() {
	if t.wake != nil {
		t.wake.Stop()
		t.wake = nil
	}
}

func (c *Clock) fire(t *clockTimer) {
	c.mu.Lock()
	_, waits := c.timers[t]
	if waits && t.at.After(c.now()) { // the clock was moved back or stopped in the meantime
		c.arm(t)
		waits = false
	}
	if waits {
		delete(c.timers, t)
	}
	c.mu.Unlock()
	if waits {
		t.f()
	}
}

// Move moves the clock by d, which may be negative.
func (c *Clock) Move(d time.Duration) {
	c.change(func() {
		c.ahead += d
		if !c.frozen.IsZero() {
			c.frozen = c.frozen.Add(d)
		}
	})
}

// Set sets the clock.
func (c *Clock) Set(t time.Time) {
	c.change(func() {
		c.ahead = time.Until(t)
		if !c.frozen.IsZero() {
			c.frozen = t
		}
	})
}

// Freeze stops the clock, or lets it continue from its current time.
func (c *Clock) Freeze(stand bool) {
	c.change(func() {
		switch {
		case stand:
			c.frozen = c.now()
		case !c.frozen.IsZero():
			c.ahead, c.frozen = time.Until(c.frozen), time.Time{}
		}
	})
}

// Reset makes the clock show the machine's time again.
func (c *Clock) Reset() { c.change(func() { c.ahead, c.frozen = 0, time.Time{} }) }

func (c *Clock) change(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
	for t := range c.timers {
		c.arm(t)
	}
}

// State returns how far the clock is ahead of the machine's clock, and whether it is stopped.
func (c *Clock) State() (ahead time.Duration, frozen bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.frozen.IsZero() {
		return time.Until(c.frozen), true
	}
	return c.ahead, false
}
