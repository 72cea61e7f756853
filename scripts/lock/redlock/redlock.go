package redlock

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/internal/script"
	"github.com/redmoon-lua/redmoon/scripts/lock"
	"github.com/redmoon-lua/redmoon/scripts/lock/internal/keep"
)

// ErrNoQuorum is returned if the nodes that answered in time are not a majority. Its text has the
// error of each of the others.
var ErrNoQuorum = errors.New("redlock: too few nodes answer")

// Options of a lock. The zero value works. Every process that uses the lock must use the same
// nodes.
type Options struct {
	// TTL is how long a lease lasts unless it is renewed or released, minus the time that acquiring
	// it took, minus 1 %. At least 10 ms. Default: 30 s.
	TTL time.Duration
	// Jitter is the largest part of TTL by which a lease lasts longer than TTL. The part is random
	// for each acquisition. From 0 to 1. Default: 0.1; negative: none.
	Jitter float64
	// Watchdog renews every lease about every third of TTL until it is released or cannot be renewed.
	// Default: only Renew renews.
	Watchdog bool
	// NodeTimeout is how long a node may take to answer; a node that takes longer counts as down.
	// At most TTL. Default: a twentieth of TTL.
	NodeTimeout time.Duration
	// RetryMin and RetryMax bound the pauses of a waiter. Each pause is random between them.
	// Default: 50 ms and 250 ms.
	RetryMin, RetryMax time.Duration
}

func (o Options) fill() (Options, error) {
	timing := keep.Timing{TTL: o.TTL, Jitter: o.Jitter, RetryMin: o.RetryMin, RetryMax: o.RetryMax}
	err := timing.Fill(lock.ErrOptions, 50*time.Millisecond, 250*time.Millisecond)
	o.TTL, o.Jitter, o.RetryMin, o.RetryMax = timing.TTL, timing.Jitter, timing.RetryMin, timing.RetryMax
	script.Default(&o.NodeTimeout, o.TTL/20)
	if err == nil && (o.NodeTimeout < 0 || o.NodeTimeout > o.TTL) {
		err = fmt.Errorf("%w: NodeTimeout %v is not from 0 to TTL %v", lock.ErrOptions, o.NodeTimeout, o.TTL)
	}
	return o, err
}

// Lock is a named lock on several nodes. It is safe for use by any number of goroutines.
type Lock struct {
	servers []*server
	key     string
	o       Options
}

// New returns the lock of that name on nodes. It sends nothing. Each node must be an independent
// server or engine: neither the masters of one cluster nor a master and its replica will do. Use an
// odd number: of five nodes, two may be down. New returns [lock.ErrName] or [lock.ErrOptions], the
// latter also if there is no node.
func New(nodes []engine.Client, name string, o Options) (*Lock, error) {
	if err := script.CheckName(lock.ErrName, name); err != nil {
		return nil, err
	}
	if len(nodes) == 0 {
		return nil, fmt.Errorf("%w: there are no nodes", lock.ErrOptions)
	}
	o, err := o.fill()
	if err != nil {
		return nil, err
	}
	scripts := &sync.Map{}
	servers := make([]*server, len(nodes))
	for i, c := range nodes {
		servers[i] = &server{c: c, scripts: scripts}
	}
	return &Lock{servers: servers, key: "redlock:{" + name + "}", o: o}, nil
}

// Keys returns the key of the lock, which is the same on each node.
func (l *Lock) Keys() []string { return []string{l.key} }

func (l *Lock) quorum() int { return len(l.servers)/2 + 1 }

// Acquire takes the lock. It waits for it until ctx ends, and then returns an error that wraps
// [lock.ErrNotAcquired] and the error of ctx. It returns [ErrNoQuorum] immediately if too few nodes
// answer. If it gets the lock on some nodes but not on a majority, it releases it there.
func (l *Lock) Acquire(ctx context.Context) (*lock.Lease, error) {
	for {
		lease, err := l.once(ctx)
		if !errors.Is(err, lock.ErrNotAcquired) {
			return lease, err
		}
		pause := time.NewTimer(l.o.RetryMin + time.Duration(rand.Int64N(int64(l.o.RetryMax-l.o.RetryMin)+1)))
		select {
		case <-ctx.Done():
			pause.Stop()
			return nil, notAcquired(ctx)
		case <-pause.C:
		}
	}
}

// TryAcquire is Acquire with a limit: it waits until wait has passed or ctx ends. If wait is 0 or
// less, it asks each node once. Only NodeTimeout ends a request to a node that is under way.
func (l *Lock) TryAcquire(ctx context.Context, wait time.Duration) (*lock.Lease, error) {
	if wait <= 0 {
		return l.once(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	return l.Acquire(ctx)
}

func notAcquired(ctx context.Context) error {
	return fmt.Errorf("%w: %w", lock.ErrNotAcquired, context.Cause(ctx))
}

// once asks each node once.
func (l *Lock) once(ctx context.Context) (*lock.Lease, error) {
	if ctx.Err() != nil {
		return nil, notAcquired(ctx)
	}
	h := &holding{lock: l}
	pools := make([]redis.Pool, len(l.servers))
	for i, s := range l.servers {
		n := &node{server: s}
		h.nodes, pools[i] = append(h.nodes, n), n
	}
	ttl := keep.Jittered(l.o.TTL, l.o.Jitter)
	h.mutex = redsync.New(pools...).NewMutex(l.key,
		redsync.WithExpiry(ttl.Truncate(time.Millisecond)), redsync.WithTimeoutFactor(float64(l.o.NodeTimeout)/float64(ttl)))
	// It takes at most two NodeTimeouts. It must not be cancelled before it gave back what it got.
	if err := h.mutex.TryLockContext(context.WithoutCancel(ctx)); err != nil {
		return nil, h.failed(err, lock.ErrNotAcquired)
	}
	o := lock.LeaseOptions{ID: h.mutex.Value(), Outcome: lock.Acquired, Until: h.mutex.Until(), Clock: keep.RealClock{}}
	if l.o.Watchdog {
		o.RenewEvery = l.o.TTL / 3
	}
	return lock.NewLease(h, o), nil
}
