package lock

import (
	"context"
	"errors"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/lock/internal/keep"
)

// Lease is one acquisition of a lock, of this package or of package redlock. It is safe for use by
// any number of goroutines.
type Lease struct {
	holding Holding
	id      string
	token   int64
	outcome Outcome
	keeper  *keep.Keeper
}

// Holding renews and releases one lease on the servers of its lock. Each kind of lock implements
// it; users of locks do not need it. Its methods may be called by several goroutines.
type Holding interface {
	// Renew extends the lease and returns the time until which it lasts for certain. It returns
	// ErrLost if the servers no longer have the lease; after any other error it is unknown whether
	// the lease was renewed.
	Renew(ctx context.Context) (until time.Time, err error)
	// Release ends the lease. It returns Released, StillHeld, or NotHeld with ErrNotHeld; after any
	// other error it is unknown whether the lease ended.
	Release(ctx context.Context) (Outcome, error)
}

// LeaseOptions describe a new lease.
type LeaseOptions struct {
	ID      string       // see [Lease.ID]
	Token   int64        // the fencing token; 0 if the lock has none
	Outcome Outcome      // Acquired or Reentered
	Until   time.Time    // until when the lease lasts for certain, on Clock
	Clock   engine.Clock // must be set
	// RenewEvery is how often the lease is renewed until it ends. Default: it is not renewed.
	RenewEvery time.Duration
}

// NewLease returns a lease that was just acquired on the servers. Kinds of locks call it; users of
// locks get their leases from Acquire.
func NewLease(h Holding, o LeaseOptions) *Lease {
	le := &Lease{
		holding: h, id: o.ID, token: o.Token, outcome: o.Outcome,
		keeper: keep.New(o.Clock, o.Until, ErrLost),
	}
	if o.RenewEvery > 0 {
		le.keeper.Watch(o.RenewEvery, ErrNotHeld, le.Renew)
	}
	return le
}

// ID is the random text that marks the lease on its servers.
func (le *Lease) ID() string { return le.id }

// Token is the fencing token. It is greater than that of every earlier owner of the lock, and below
// 1<<53. It can repeat only if the keys of the lock are lost (a flush, a restart of an engine, a
// failover) and the clock of the server has gone back too (docs/adr/0031). All leases that an owner
// has at the same time have the same token. Leases of package redlock have no token; it is 0.
func (le *Lease) Token() int64 { return le.token }

// Outcome is [Acquired], or [Reentered] if the owner already had the lock.
func (le *Lease) Outcome() Outcome { return le.outcome }

// Until is the time, on Options.Clock, until which the lease lasts for certain: the time at which
// the call that acquired or renewed it began, plus its time to live, minus 1 % because clocks
// differ in speed.
func (le *Lease) Until() time.Time { return le.keeper.Until() }

// Done is closed when the lease has ended: it was released, or it is lost.
func (le *Lease) Done() <-chan struct{} { return le.keeper.Done() }

// Err is nil while the lease lasts; afterwards it is [ErrReleased] or [ErrLost].
func (le *Lease) Err() error { return le.keeper.Err() }

// Context returns a context that ends with the lease or with parent. If it ends with the lease,
// context.Cause is [ErrReleased] or [ErrLost]. Call cancel to free its resources.
func (le *Lease) Context(parent context.Context) (ctx context.Context, cancel context.CancelFunc) {
	return le.keeper.Context(parent)
}

// Renew extends the lease: it lasts for Options.TTL from now on. It returns [ErrNotHeld], and
// changes nothing, if the lease has ended. After any other error it is unknown whether the server
// renewed the lease; the lease lasts as long as it would have, and Renew may be called again.
func (le *Lease) Renew(ctx context.Context) error {
	if err := le.Err(); err != nil {
		return err
	}
	until, err := le.holding.Renew(ctx)
	if errors.Is(err, ErrLost) {
		le.keeper.End(ErrLost)
		return le.Err()
	}
	if err != nil {
		return err
	}
	return le.keeper.Extend(until)
}

// Release gives the lock back. It returns [Released], or [StillHeld] if the owner has other leases.
// The lease ends in every case, also if Release returns an error. [NotHeld] with [ErrNotHeld] means
// that it had ended before: its time had passed, and another owner may have had the lock since.
// After any other error the server may not have released the lock; call Release again, or the lock
// is free when its time to live has passed.
//
// A repeated call returns the same until another lease of the lock is released, and then
// [ErrNotHeld]. For package redlock a repeated call always returns [ErrNotHeld].
func (le *Lease) Release(ctx context.Context) (Outcome, error) {
	le.keeper.End(ErrReleased)
	return le.holding.Release(ctx)
}
