package engine

import (
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redmoon-lua/redmoon/internal/base/goroutine"
)

// Clock is the time of an engine: expiry times, TIME, idle times and timers follow it.
// Implementations must be safe for use by several goroutines. They must not call the engine,
// because the engine calls them on its own goroutine ([ErrReentrant]).
type Clock interface {
	// Now returns the present time.
	Now() time.Time
	// AfterFunc arranges that f is called once, when d has passed. It must not call f itself, even
	// if d is 0 or less, because f waits for the goroutine that called AfterFunc. stop cancels the
	// call unless f has begun or is about to begin. AfterFunc and stop must not block.
	AfterFunc(d time.Duration, f func()) (stop func())
	// Sleep returns when d has passed. The engine calls it for DEBUG SLEEP.
	Sleep(d time.Duration)
}

// realClock is the machine's clock; in a bubble of testing/synctest it is the bubble's.
type realClock struct{}

func (realClock) Now() time.Time        { return time.Now() }
func (realClock) Sleep(d time.Duration) { time.Sleep(d) }
func (realClock) AfterFunc(d time.Duration, f func()) func() {
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}

// VirtualClock is a [Clock] that moves only when [VirtualClock.Advance], [VirtualClock.Set] or
// Sleep is called. Only Set moves it back. Make it with [NewVirtualClock]. It may be used by
// several goroutines.
type VirtualClock struct {
	advancing sync.Mutex     // held during Advance
	advancer  atomic.Uintptr // the goroutine that holds advancing; 0: none, or not known

	mu     sync.Mutex
	now    time.Time
	timers []*virtualTimer // by time, then by age
}

type virtualTimer struct {
	at time.Time
	f  func()
}

// NewVirtualClock returns a clock that shows t until it is moved.
func NewVirtualClock(t time.Time) *VirtualClock { return &VirtualClock{now: t} }

// Now implements [Clock].
func (c *VirtualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// AfterFunc implements [Clock]: the [VirtualClock.Advance] that reaches the time calls f.
func (c *VirtualClock) AfterFunc(d time.Duration, f func()) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.add(c.now.Add(d), f)
}

// afterTime is AfterFunc for a d that began at start, where the clock stood a moment ago. If an
// Advance has passed the time meanwhile, no later one need come: f is called by a goroutine of its
// own.
func (c *VirtualClock) afterTime(start time.Time, d time.Duration, f func()) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now.Sub(start) < time.Microsecond { // start is in whole microseconds
		return c.add(c.now.Add(d), f)
	}
	if at := start.Add(d); at.After(c.now) {
		return c.add(at, f)
	}
	go f()
	return func() {}
}

// add adds a timer. The caller holds mu. The function it returns removes the timer.
func (c *VirtualClock) add(at time.Time, f func()) func() {
	t := &virtualTimer{at: at, f: f}
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

// Advance moves the clock by d and calls the functions of the timers that become due, in order.
// While such a function runs, the clock shows the time of its timer. When it returns, every engine
// on this clock has removed the keys that have expired. Calls by several goroutines run one after
// the other, and each moves the clock by its own d.
//
// Advance panics if d is negative, or if the function of a timer calls it. A function that an
// engine calls on its own goroutine must not call Advance if another goroutine may be calling it:
// both could then wait forever.
func (c *VirtualClock) Advance(d time.Duration) {
	if d < 0 {
		panic("redmoon: VirtualClock.Advance(" + d.String() + "): time does not go back")
	}
	self := goroutine.Self()
	if self != 0 && c.advancer.Load() == self {
		panic("redmoon: VirtualClock.Advance is called by a timer of the same clock")
	}
	c.advancing.Lock()
	defer c.advancing.Unlock()
	c.advancer.Store(self)
	defer c.advancer.Store(0)

	end := c.Now().Add(d)
	for f := c.next(end); f != nil; f = c.next(end) {
		f()
	}
}

// Set moves the clock to t. It moves forwards as [VirtualClock.Advance] does. It moves back in one
// step, as when a machine's clock is set back; timers then stay due at the same time of the clock.
func (c *VirtualClock) Set(t time.Time) {
	if d := t.Sub(c.Now()); d >= 0 {
		c.Advance(d)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = t
}

// next moves the clock to the next timer that is due by end, and returns its function. If there is
// none, it moves the clock to end and returns nil.
func (c *VirtualClock) next(end time.Time) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.timers) == 0 || c.timers[0].at.After(end) {
		c.moveTo(end)
		return nil
	}
	t := c.timers[0]
	c.timers = c.timers[1:]
	c.moveTo(t.at)
	return t.f
}

// moveTo moves the clock to t, unless it is already past t. The caller holds mu.
func (c *VirtualClock) moveTo(t time.Time) {
	if t.After(c.now) {
		c.now = t
	}
}

// Sleep implements [Clock]: it moves the clock by d and leaves the timers to the next Advance. It
// does nothing if d is negative.
func (c *VirtualClock) Sleep(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.moveTo(c.now.Add(d))
}
