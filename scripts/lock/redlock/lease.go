package redlock

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/go-redsync/redsync/v4"

	"github.com/redmoon-lua/redmoon/scripts/lock"
	"github.com/redmoon-lua/redmoon/scripts/lock/internal/keep"
)

// Lease is one acquisition of a lock. It is safe for use by any number of goroutines.
type Lease struct {
	lock   *Lock
	keeper *keep.Keeper

	mu    sync.Mutex // guards the rest: one call at a time
	mutex *redsync.Mutex
	nodes []*node
}

// ID is the random text that marks this lease on the nodes.
func (le *Lease) ID() string {
	le.mu.Lock()
	defer le.mu.Unlock()
	return le.mutex.Value()
}

// Until is the time until which the lease lasts for certain.
func (le *Lease) Until() time.Time { return le.keeper.Until() }

// Done is closed when the lease has ended: it was released, or it is lost.
func (le *Lease) Done() <-chan struct{} { return le.keeper.Done() }

// Err is nil while the lease lasts, then [lock.ErrReleased] or [lock.ErrLost].
func (le *Lease) Err() error { return le.keeper.Err() }

// Context returns a context that ends with the lease, or with parent. Its cause (see context.Cause) is then [lock.ErrReleased] or [lock.ErrLost].
// cancel frees what it takes, and must be called.
func (le *Lease) Context(parent context.Context) (ctx context.Context, cancel context.CancelFunc) {
	return le.keeper.Context(parent)
}

// Renew lets the lease last for Options.TTL from now on. It returns [lock.ErrNotHeld] when most nodes answer, but most do not have the lease any
// more: it has ended. After [ErrNoQuorum] it lasts as long as it would have, and Renew may be called again.
func (le *Lease) Renew(ctx context.Context) error {
	if err := le.Err(); err != nil {
		return err
	}
	le.mu.Lock()
	defer le.mu.Unlock()
	ctx, cancel := le.begin(ctx)
	defer cancel()
	if ok, err := le.mutex.ExtendContext(ctx); !ok {
		err = le.failed(err, lock.ErrLost)
		if err == lock.ErrLost {
			le.keeper.End(err)
			return le.Err()
		}
		return err
	}
	return le.keeper.Extend(le.mutex.Until())
}

// Release gives the lock back. The lease has ended then, whatever is returned. [lock.ErrNotHeld] says that most nodes answered, but most did not have the
// lease any more. After [ErrNoQuorum] it may be called again, else the lock is free when its time is over. Repeated, it returns ErrNotHeld.
func (le *Lease) Release(ctx context.Context) (lock.Outcome, error) {
	le.keeper.End(lock.ErrReleased)
	le.mu.Lock()
	defer le.mu.Unlock()
	ctx, cancel := le.begin(ctx)
	defer cancel()
	if ok, err := le.mutex.UnlockContext(ctx); !ok {
		if err = le.failed(err, lock.ErrNotHeld); err == lock.ErrNotHeld {
			return lock.NotHeld, err
		}
		return lock.Unknown, err
	}
	return lock.Released, nil
}

// begin bounds a call to all nodes. The caller holds mu.
func (le *Lease) begin(ctx context.Context) (context.Context, context.CancelFunc) {
	for _, n := range le.nodes {
		n.failed.Store(false)
	}
	return context.WithTimeout(ctx, le.lock.o.NodeTimeout)
}

// failed is the error of a call that did not do what it should on most nodes: refused if most have answered.
func (le *Lease) failed(err, refused error) error {
	answered := 0
	for _, n := range le.nodes {
		if !n.failed.Load() {
			answered++
		}
	}
	if answered >= le.lock.quorum() {
		return refused
	}
	return fmt.Errorf("%w: %d of %d: %w", ErrNoQuorum, answered, len(le.nodes), err)
}
