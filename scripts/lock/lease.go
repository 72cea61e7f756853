package lock

import (
	"context"
	"time"

	"github.com/redmoon-lua/redmoon/scripts/lock/internal/keep"
)

// Lease is one acquisition of a lock. It is safe for use by any number of goroutines.
type Lease struct {
	lock      *Lock
	id, owner string
	outcome   Outcome
	token     int64
	keeper    *keep.Keeper
}

func (l *Lock) newLease(id, owner string, outcome Outcome, token int64, start time.Time, ttl time.Duration) *Lease {
	lease := &Lease{
		lock: l, id: id, owner: owner, outcome: outcome, token: token,
		keeper: keep.New(l.o.Clock, keep.Until(start, ttl), ErrLost),
	}
	if l.o.Watchdog {
		lease.keeper.Watch(l.o.TTL/3, ErrNotHeld, lease.Renew)
	}
	return lease
}

// ID is the random text that marks this lease in the keyspace.
func (le *Lease) ID() string { return le.id }

// Token is the fencing token: greater than that of every earlier holder of the lock, and below 1<<53. It may repeat only if the keys of the
// lock are lost (a flush, a restart of an engine, a fail-over) and the server's clock has gone back too (docs/adr/0031). The leases of one owner
// that holds the lock by several have the same.
func (le *Lease) Token() int64 { return le.token }

// Outcome is [Acquired], or [Reentered] when the owner had the lock already.
func (le *Lease) Outcome() Outcome { return le.outcome }

// Until is the time on Options.Clock until which the lease lasts for certain: the time of the call that took or renewed it last, and its time to
// live less 1 % for clocks that do not go alike.
func (le *Lease) Until() time.Time { return le.keeper.Until() }

// Done is closed when the lease has ended: it was released, or it is lost.
func (le *Lease) Done() <-chan struct{} { return le.keeper.Done() }

// Err is nil while the lease lasts, then [ErrReleased] or [ErrLost].
func (le *Lease) Err() error { return le.keeper.Err() }

// Context returns a context that ends with the lease, or with parent. Its cause (see context.Cause) is then [ErrReleased] or [ErrLost]. cancel frees
// what it takes, and must be called.
func (le *Lease) Context(parent context.Context) (ctx context.Context, cancel context.CancelFunc) {
	return le.keeper.Context(parent)
}

// Renew lets the lease last for Options.TTL from now on. It returns [ErrNotHeld], and changes nothing, when the lease has ended. After any other error it
// is not known whether the server renewed it, and the lease lasts as long as it would have; Renew may be called again.
func (le *Lease) Renew(ctx context.Context) error {
	if err := le.Err(); err != nil {
		return err
	}
	l := le.lock
	start, ttl := l.o.Clock.Now(), l.o.ttl()
	outcome, _, err := l.call(ctx, renewScript, l.keys[:1], le.id, millis(ttl))
	if err != nil {
		return err
	}
	if outcome == NotHeld {
		le.keeper.End(ErrLost)
		return le.Err()
	}
	return le.keeper.Extend(keep.Until(start, ttl))
}

// Release gives the lock back: [Released], or [StillHeld] when the owner has other leases. The lease has ended then, whatever is returned. [ErrNotHeld] says
// that it had ended before: its time was over, and another may have had the lock meanwhile. After any other error the server may not know of the
// release; it may be called again, else the lock is free when its time is over.
//
// Repeated, it returns the same, until another lease of the lock is released; then ErrNotHeld.
func (le *Lease) Release(ctx context.Context) (Outcome, error) {
	le.keeper.End(ErrReleased)
	return le.lock.release(ctx, le.id, le.owner)
}
