package lock

import (
	"context"
	"crypto/rand"
	"fmt"
	random "math/rand/v2"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
)

// abandonTimeout bounds the call that gives back what an acquisition without a known end may have taken.
const abandonTimeout = time.Second

// Acquire takes the lock, and waits for it until ctx ends; then it returns [ErrNotAcquired] and the context's error in one.
//
// After any other error it is not known whether the server has taken the lock for the caller. Acquire then tries for up to a second to give it back; where
// that fails too, the lock is free when its time is over.
func (l *Lock) Acquire(ctx context.Context) (*Lease, error) { return l.acquire(ctx, true) }

// TryAcquire is Acquire with an end to the waiting: wait, or the end of ctx. It asks only once if wait is 0 or less.
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
	id := rand.Text()
	owner := l.owner
	if owner == "" {
		owner = id
	}
	silence := time.Duration(0)
	var woken <-chan struct{}
	if wait {
		woken = l.local.join(id)
		defer func() { l.local.leave(id, err == nil) }()
		if l.o.Fair {
			silence = l.o.WaiterTimeout
		}
	}
	var p pace
	for {
		start, ttl := l.o.Clock.Now(), l.o.ttl()
		outcome, rest, err := l.call(ctx, acquireScript, l.keys, id, owner, millis(ttl), millis(silence))
		if err != nil {
			l.abandon(ctx, id, owner)
			return nil, notAcquired(ctx, err)
		}
		if len(rest) != 2 {
			return nil, fmt.Errorf("lock: unexpected reply of %d parts", len(rest))
		}
		if outcome.Err() == nil {
			return l.newLease(id, owner, outcome, rest[0].Int(), start, ttl), nil
		}
		if !wait {
			return nil, ErrNotAcquired
		}
		p.next(&l.o, rest)
		if !l.pause(ctx, p.d, woken) {
			if l.o.Fair {
				l.abandon(ctx, id, owner)
			}
			return nil, notAcquired(ctx, ctx.Err())
		}
	}
}

// notAcquired is the error of an acquisition that ended with err.
func notAcquired(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return fmt.Errorf("%w: %w", ErrNotAcquired, context.Cause(ctx))
}

// abandon gives back the lock, or the place in the queue, that a lease may have.
func (l *Lock) abandon(ctx context.Context, id, owner string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abandonTimeout)
	defer cancel()
	_, _ = l.release(ctx, id, owner) // where it fails, time will do it
}

// release runs the script and wakes who comes next.
func (l *Lock) release(ctx context.Context, id, owner string) (Outcome, error) {
	outcome, rest, err := l.call(ctx, releaseScript, l.keys, id, owner)
	if err != nil {
		return outcome, err
	}
	if len(rest) == 1 && outcome != StillHeld {
		l.local.wake(rest[0].Text())
	}
	return outcome, outcome.Err()
}

// pause lets d pass, or less when the waiter is woken. It reports whether to go on.
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

// pace is how long one who waits lets pass between its questions.
type pace struct {
	d      time.Duration
	tries  int
	before int64 // waiters before it
}

// next sets the pause after a refusal that tells when the holder's time is over, in ms, and how many wait before.
func (p *pace) next(o *Options, told []engine.Value) {
	left, before := time.Duration(told[0].Int())*time.Millisecond, told[1].Int()
	if before != p.before {
		p.before, p.tries = before, 0
	}
	longest := o.RetryMax
	d := o.RetryMin
	if o.Fair { // whose turn is far away asks less often, but often enough to keep it
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
	if left > 0 && left < d { // a holder that has crashed: be there soon after, but not all at once
		d = left + time.Duration(random.Int64N(int64(o.RetryMin)+1))
	}
	p.d = d
}
