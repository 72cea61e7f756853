package engine

import (
	"sort"
	"sync"
	"time"
)

// Clock is the time that an engine sees: TTLs, TIME, idle times and timers follow it.
// Implementations must be safe for use from several goroutines.
type Clock interface {
	// Now is the present time.
	Now() time.Time
	// AfterFunc calls f once d has passed. Stopping is best effort.
	AfterFunc(d time.Duration, f func()) (stop func())
	// Sleep lets d pass (DEBUG SLEEP).
	Sleep(d time.Duration)
}

// realClock is the machine's clock.
type realClock struct{}

func (realClock) Now() time.Time        { return time.Now() }
func (realClock) Sleep(d time.Duration) { time.Sleep(d) }
func (realClock) AfterFunc(d time.Duration, f func()) func() {
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}

// VirtualClock is a [Clock] that moves only when told to. Use NewVirtualClock.
type VirtualClock struct {
	mu     sync.Mutex
	now    time.Time
	timers []*virtualTimer // by time, then by age
}

type virtualTimer struct {
	at time.Time
	f  func()
}

// NewVirtualClock returns a clock that stands at t.
func NewVirtualClock(t time.Time) *VirtualClock { return &VirtualClock{now: t} }

// Now implements [Clock].
func (c *VirtualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// AfterFunc implements [Clock]: f is called by the [VirtualClock.Advance] that passes its time.
func (c *VirtualClock) AfterFunc(d time.Duration, f func()) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &virtualTimer{at: c.now.Add(d), f: f}
	i := sort.Search(len(c.timers), func(i int) bool { return c.timers[i].at.After(t.at) })
	c.timers = append(c.timers, nil)
	copy(c.timers[i+1:], c.timers[i:])
	c.timers[i] = t
	return func() { c.remove(t) }
}

func (c *VirtualClock) remove(t *virtualTimer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, x := range c.timers {
		if x == t {
			c.timers = append(c.timers[:i], c.timers[i+1:]...)
			return
		}
	}
}

// Advance moves the clock by d and calls the timers on the way, each at its own
// time and before the clock goes on. When it returns, every engine on this clock has removed
// the keys whose time has come. It must not be called from within a timer.
func (c *VirtualClock) Advance(d time.Duration) {
	c.mu.Lock()
	end := c.now.Add(d)
	for len(c.timers) > 0 && !c.timers[0].at.After(end) {
		t := c.timers[0]
		c.timers = c.timers[1:]
		if t.at.After(c.now) {
			c.now = t.at
		}
		c.mu.Unlock()
		t.f()
		c.mu.Lock()
	}
	c.now = end
	c.mu.Unlock()
}

// Sleep implements [Clock]: it moves the clock and leaves the timers to the next Advance.
func (c *VirtualClock) Sleep(d time.Duration) {
	c.mu.Lock()
	c.now = c.now.Add(d)
	c.mu.Unlock()
}
