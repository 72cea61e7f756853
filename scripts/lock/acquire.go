package lock

import (
	"context"
	"crypto/rand"
	"fmt"
	random "math/rand/v2"
	"time"

	"github.com/redmoon-lua/redmoon/scripts/internal/script"
	"github.com/redmoon-lua/redmoon/scripts/lock/internal/keep"
)

// abandonTimeout bounds the call that gives back what an acquisition with an unknown outcome may
// have taken.
const abandonTimeout = time.Second

// Acquire takes the lock. It waits for it until ctx ends, and then returns an error that wraps
// [ErrNotAcquired] and the error of ctx.
//
// After any other error it is unknown whether the server took the lock for the caller. Acquire has
// then tried for up to a second to give the lock back; if that failed too, the lock is free when
// its time to live has passed.
func (l *Lock) Acquire(ctx context.Context) (*Lease, error) { return l.acquire(ctx, true) }

// TryAcquire is [Lock.Acquire] with a limit: it waits for the lock until wait has passed or ctx
// ends. If wait is 0 or less, it tries once and returns [ErrNotAcquired] if another owner has the
// lock.
func (l *Lock) TryAcquire(ctx context.Context, wait time.Duration) (*Lease, error) {
	if wait <= 0 {
		return l.acquire(ctx, false)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer l.o.Clock.AfterFunc(wait, func() { cancel(context.DeadlineExceeded) })()
	return l.acquire(ctx, true)
}

func (l *Lock) acquire(ctx context.Context, wait bool) (lease *Lease, err error) {
	h := &holding{lock: l, id: rand.Text(), owner: l.owner}
	if h.owner == "" {
		h.owner = h.id
	}
	silence := time.Duration(0)
	var woken <-chan struct{}
	if wait {
		woken = l.local.join(h.id)
		defer func() { l.local.leave(h.id, err == nil) }()
		if l.o.Fair {
			silence = l.o.WaiterTimeout
		}
	}
	var p pace
	for {
		start, ttl := l.o.Clock.Now(), l.ttl()
		outcome, r, err := l.run(ctx, acquireScript, l.keys, h.id, h.owner, script.Millis(ttl), script.Millis(silence))
		if err != nil {
			l.abandon(ctx, h)
			return nil, notAcquired(ctx, err)
		}
		first, before := r.Int(0), r.Int(1)
		if r.Err() != nil {
			return nil, r.Err()
		}
		if outcome.err() == nil {
			return l.lease(h, outcome, first, keep.Until(start, ttl)), nil
		}
		if !wait {
			return nil, ErrNotAcquired
		}
		p.next(&l.o, time.Duration(first)*time.Millisecond, before)
		if !l.pause(ctx, p.interval, woken) {
			if l.o.Fair {
				l.abandon(ctx, h)
			}
			return nil, notAcquired(ctx, ctx.Err())
		}
	}
}

// lease is the lease of a lock that was just taken.
func (l *Lock) lease(h *holding, outcome Outcome, token int64, until time.Time) *Lease {
	o := LeaseOptions{ID: h.id, Token: token, Outcome: outcome, Until: until, Clock: l.o.Clock}
	if l.o.Watchdog {
		o.RenewEvery = l.o.TTL / 3
	}
	return NewLease(h, o)
}

// notAcquired is the error of an acquisition that ended with err.
func notAcquired(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return fmt.Errorf("%w: %w", ErrNotAcquired, context.Cause(ctx))
}

// abandon gives back the lock, or the place in the queue, that a lease may have.
func (l *Lock) abandon(ctx context.Context, h *holding) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abandonTimeout)
	defer cancel()
	_, _ = h.Release(ctx) // if it fails, the time to live frees the lock
}

// holding is a lease on the server of a lock. It implements Holding.
type holding struct {
	lock      *Lock
	id, owner string
}

// Renew implements Holding.
func (h *holding) Renew(ctx context.Context) (time.Time, error) {
	l := h.lock
	start, ttl := l.o.Clock.Now(), l.ttl()
	outcome, _, err := l.run(ctx, renewScript, l.keys[:1], h.id, script.Millis(ttl))
	if err != nil {
		return time.Time{}, err
	}
	if outcome == NotHeld {
		return time.Time{}, ErrLost
	}
	return keep.Until(start, ttl), nil
}

// Release implements Holding. It wakes the waiter that comes next.
func (h *holding) Release(ctx context.Context) (Outcome, error) {
	outcome, r, err := h.lock.run(ctx, releaseScript, h.lock.keys, h.id, h.owner)
	if err != nil {
		return outcome, err
	}
	if outcome != StillHeld {
		h.lock.local.wake(r.Text(0))
		if r.Err() != nil {
			return Unknown, r.Err()
		}
	}
	return outcome, outcome.err()
}

// pause waits until d has passed or the waiter is woken. It returns false if ctx ends first.
func (l *Lock) pause(ctx context.Context, d time.Duration, woken <-chan struct{}) bool {
	over := make(chan struct{})
	defer l.o.Clock.AfterFunc(d, func() { close(over) })()
	select {
	case <-ctx.Done():
		return false
	case <-woken:
	case <-over:
	}
	return true
}

// pace computes the pauses of a waiter between its questions.
type pace struct {
	interval time.Duration // the next pause
	tries    int
	before   int64 // number of waiters before this one
}

// next computes the pause after a refusal. left is the time until the lock expires, and before the
// number of waiters before this one.
func (p *pace) next(o *Options, left time.Duration, before int64) {
	if before != p.before {
		p.before, p.tries = before, 0
	}
	longest := o.RetryMax
	d := o.RetryMin
	if o.Fair { // a waiter far behind asks less often, but often enough to keep its turn
		longest = min(longest, o.WaiterTimeout/3)
		d *= time.Duration(min(before, 1000) + 1)
	}
	for range p.tries {
		if d >= longest {
			break
		}
		d *= 2
	}
	p.tries++
	d = min(d, longest)
	d -= time.Duration(random.Int64N(int64(d)/2 + 1))
	if left > 0 && left < d { // the lock may expire soon: ask shortly after, but not all at the same time
		d = left + time.Duration(random.Int64N(int64(o.RetryMin)+1))
	}
	p.interval = d
}
