package redlock

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/go-redsync/redsync/v4"

	"github.com/redmoon-lua/redmoon/scripts/lock"
)

// holding is a lease on the nodes of a lock. It implements lock.Holding.
type holding struct {
	lock *Lock

	mu    sync.Mutex // guards the rest: one call at a time
	mutex *redsync.Mutex
	nodes []*node
}

// Renew implements lock.Holding.
func (h *holding) Renew(ctx context.Context) (time.Time, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	ctx, cancel := h.begin(ctx)
	defer cancel()
	if ok, err := h.mutex.ExtendContext(ctx); !ok {
		return time.Time{}, h.failed(err, lock.ErrLost)
	}
	return h.mutex.Until(), nil
}

// Release implements lock.Holding.
func (h *holding) Release(ctx context.Context) (lock.Outcome, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	ctx, cancel := h.begin(ctx)
	defer cancel()
	if ok, err := h.mutex.UnlockContext(ctx); !ok {
		if err = h.failed(err, lock.ErrNotHeld); err == lock.ErrNotHeld {
			return lock.NotHeld, err
		}
		return lock.Unknown, err
	}
	return lock.Released, nil
}

// begin bounds a call to all nodes. The caller holds mu.
func (h *holding) begin(ctx context.Context) (context.Context, context.CancelFunc) {
	for _, n := range h.nodes {
		n.failed.Store(false)
	}
	return context.WithTimeout(ctx, h.lock.o.NodeTimeout)
}

// failed is the error of a call that did not succeed on most nodes: refused if most nodes answered,
// otherwise ErrNoQuorum with err.
func (h *holding) failed(err, refused error) error {
	answered := 0
	for _, n := range h.nodes {
		if !n.failed.Load() {
			answered++
		}
	}
	if answered >= h.lock.quorum() {
		return refused
	}
	return fmt.Errorf("%w: %d of %d: %w", ErrNoQuorum, answered, len(h.nodes), err)
}
