package keep

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
)

// Keeper is the holder's side of one lease. It is safe for use by any number of goroutines; it has none of its own, only timers of its
// clock.
type Keeper struct {
	clock engine.Clock
	lost  error // why it ends when its time is over

	ctx    context.Context // ends with the lease
	cancel context.CancelCauseFunc

	mu    sync.Mutex
	until time.Time
	stop  []func() // timers: of the end, of the watchdog
}

// Until is the time until which a lease of ttl lasts for certain, when the call that took it began at start: 1 % earlier, as clocks do not
// go alike.
func Until(start time.Time, ttl time.Duration) time.Time { return start.Add(ttl - ttl/100) }

// New returns the keeper of a lease that lasts until then, and ends with the error lost if it is not extended.
func New(clock engine.Clock, until time.Time, lost error) *Keeper {
	ctx, cancel := context.WithCancelCause(context.Background())
	k := &Keeper{clock: clock, lost: lost, ctx: ctx, cancel: cancel, until: until, stop: make([]func(), 2)}
	k.after(0, until.Sub(clock.Now()), k.timeOver)
	return k
}

func (k *Keeper) after(i int, d time.Duration, f func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.set(i, d, f)
}

// set sets timer i, unless the lease has ended. The caller holds mu.
func (k *Keeper) set(i int, d time.Duration, f func()) {
	if k.ctx.Err() == nil {
		k.stop[i] = k.clock.AfterFunc(max(d, 0), f)
	}
}

func (k *Keeper) timeOver() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if left := k.until.Sub(k.clock.Now()); left > 0 { // it was extended
		k.set(0, left, k.timeOver)
		return
	}
	k.end(k.lost)
}

// Until is the time until which the lease lasts, unless it has ended otherwise.
func (k *Keeper) Until() time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.until
}

// Done is closed when the lease has ended.
func (k *Keeper) Done() <-chan struct{} { return k.ctx.Done() }

// Err is nil while the lease lasts, then why it ended.
func (k *Keeper) Err() error {
	if k.ctx.Err() == nil {
		return nil
	}
	return context.Cause(k.ctx)
}

// Extend lets the lease last until then, if that is later than it was. It returns why the lease ended when it has ended already.
func (k *Keeper) Extend(until time.Time) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if until.After(k.until) {
		k.until = until
	}
	return k.Err()
}

// End ends the lease. Once it has ended, that changes nothing.
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

// Context returns a context that ends with parent, or with the lease and for the same cause.
func (k *Keeper) Context(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	stop := context.AfterFunc(k.ctx, func() { cancel(context.Cause(k.ctx)) })
	return ctx, func() {
		stop()
		cancel(context.Canceled)
	}
}

// Watch calls renew every so often, up to a fifth earlier, until the lease ends. After an error other than gone it tries again four times as
// soon; after gone, which says that there is nothing left to renew, no more. renew is called by the clock's timer, with a context that ends with
// the lease.
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
		k.after(1, spread(next), tick)
	}
	k.after(1, spread(every), tick)
}

func spread(d time.Duration) time.Duration {
	return d - time.Duration(rand.Int64N(int64(d)/5+1))
}

// RealClock is the machine's clock.
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
