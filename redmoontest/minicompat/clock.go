package miniredis

import (
	"fmt"
	"sync"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
)

// clock is the time of day of an engine: the machine's, or a fixed one. It implements
// [engine.Clock]. Timers run in real time.
type clock struct {
	mu    sync.Mutex
	fixed time.Time // zero: the machine's time
}

// Now implements [engine.Clock].
func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.fixed.IsZero() {
		return c.fixed
	}
	return time.Now()
}

// AfterFunc implements [engine.Clock].
func (c *clock) AfterFunc(d time.Duration, f func()) func() {
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}

// Sleep implements [engine.Clock].
func (c *clock) Sleep(d time.Duration) { time.Sleep(d) }

func (c *clock) set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fixed = t
}

// aging is what FastForward remembers.
type aging struct {
	mu    sync.Mutex
	spare time.Duration // the part of FastForward below a millisecond, for the next one
}

// SetTime sets the time of day: for TIME, EXPIREAT and similar commands, stream IDs and idle times.
// The zero Time sets it to the machine's time, as it is at first. Times to live do not change,
// unless [Miniredis.ClockTTL] is on.
func (m *Miniredis) SetTime(t time.Time) { m.clock.set(t) }

// ClockTTL lets times to live follow the time of day (true), or only [Miniredis.FastForward]
// (false), which is the default. Expired keys are removed when a command or method is next called.
// A time of day that goes back does not lengthen times to live.
func (m *Miniredis) ClockTTL(enabled bool) {
	m.power.use(func(e *engine.Engine) error { return enginedoor.Of(e).HoldTTLs(!enabled) })
}

// FastForward shortens all times to live, of keys and of hash fields, by d, and removes what has
// expired then. It does not move the time of day.
func (m *Miniredis) FastForward(d time.Duration) {
	m.aging.mu.Lock()
	defer m.aging.mu.Unlock()
	d += m.aging.spare
	m.aging.spare = d % time.Millisecond
	m.power.use(func(e *engine.Engine) error { return enginedoor.Of(e).Age(int64(d / time.Millisecond)) })
}

// check panics if a method that reports no error has failed.
func check(err error) {
	if err != nil {
		panic(fmt.Sprintf("miniredis: %v", err))
	}
}
