package keep

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
)

// Keeper is the holder's side of one lease. It is safe for use by any number of goroutines. It has
// no goroutine of its own, only timers of its clock.
type Keeper struct {
	clock engine.Clock
	lost  error // why the lease ended if its time passed

	ctx    context.Context // ends with the lease
	cancel context.CancelCauseFunc

	mu    sync.Mutex
	until time.Time
	stop  []func() // stop the timers, by their numbers
}

// The timers of a Keeper.
const (
	endTimer = iota
	watchTimer
	timers
)

// Until is the time until which a lease of ttl lasts for certain if the call that acquired it began
// at start. It is 1 % earlier than start and ttl say, because clocks differ in speed.
func Until(start time.Time, ttl time.Duration) time.Time { return start.Add(ttl - ttl/100) }

// New returns the keeper of a lease that lasts until the given time. If it is not extended, it ends
// with the error lost.
func New(clock engine.Clock, until time.Time, lost error) *Keeper {
	ctx, cancel := context.WithCancelCause(context.Background())
	k := &Keeper{clock: clock, lost: lost, ctx: ctx, cancel: cancel, until: until, stop: make([]func(), timers)}
	k.after(endTimer, until.Sub(clock.Now()), k.timeOver)
	return k
}

// after is set for a caller that does not hold mu.
func (k *Keeper) after(timer int, d time.Duration, f func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.set(timer, d, f)
}

// set sets a timer unless the lease has ended. The caller holds mu.
func (k *Keeper) set(timer int, d time.Duration, f func()) {
	if k.ctx.Err() == nil {
		k.stop[timer] = k.clock.AfterFunc(max(d, 0), f)
	}
}

// timeOver ends the lease, unless it was extended meanwhile.
func (k *Keeper) timeOver() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if left := k.until.Sub(k.clock.Now()); left > 0 {
		k.set(endTimer, left, k.timeOver)
		return
	}
	k.end(k.lost)
}

// Until is the time until which the lease lasts unless it ends for another reason.
func (k *Keeper) Until() time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.until
}

// Done is closed when the lease has ended.
func (k *Keeper) Done() <-chan struct{} { return k.ctx.Done() }

// Err is nil while the lease lasts; afterwards it is why the lease ended.
func (k *Keeper) Err() error {
	if k.ctx.Err() == nil {
		return nil
	}
	return context.Cause(k.ctx)
}

// Extend makes the lease last until the given time, if that is later than before. If the lease has
// ended, Extend returns why.
func (k *Keeper) Extend(until time.Time) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if until.After(k.until) {
		k.until = until
	}
	return k.Err()
}

// End ends the lease. If it has ended, nothing changes.
func (k *Keeper) End(why error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.end(why)
}

// end is End. The caller holds mu.
func (k *Keeper) end(why error) {
	k.cancel(why)
	for i, stop := range k.stop {
		if stop != nil {
			stop()
			k.stop[i] = nil
		}
	}
}

// Context returns a context that ends with parent, or with the lease and the same cause.
func (k *Keeper) Context(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	stop := context.AfterFunc(k.ctx, func() { cancel(context.Cause(k.ctx)) })
	return ctx, func() {
		stop()
		cancel(context.Canceled)
	}
}

// Watch renews the lease until it ends: it calls renew after each interval, at random up to a fifth
// earlier. After an error it tries again in a quarter of the interval; the error gone means that
// there is nothing to renew, and ends the lease. renew is called by a timer of the clock, with a
// context that ends with the lease.
func (k *Keeper) Watch(every time.Duration, gone error, renew func(context.Context) error) {
	var tick func()
	tick = func() {
		next := every
		ctx, cancel := context.WithTimeout(k.ctx, every)
		err := renew(ctx)
		cancel()
		if errors.Is(err, gone) {
			k.End(k.lost)
			return
		}
		if err != nil {
			next = every / 4
		}
		k.after(watchTimer, spread(next), tick)
	}
	k.after(watchTimer, spread(every), tick)
}

// spread is d, at random up to a fifth shorter.
func spread(d time.Duration) time.Duration {
	return d - time.Duration(rand.Int64N(int64(d)/5+1))
}

// RealClock is the clock of the machine.
type RealClock struct{}

// Now implements engine.Clock.
func (RealClock) Now() time.Time { return time.Now() }

// Sleep implements engine.Clock.
func (RealClock) Sleep(d time.Duration) { time.Sleep(d) }

// AfterFunc implements engine.Clock.
func (RealClock) AfterFunc(d time.Duration, f func()) func() {
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}
