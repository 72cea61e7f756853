package redlock

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/lock"
	"github.com/redmoon-lua/redmoon/scripts/lock/internal/keep"
)

// ErrNoQuorum is returned when so many nodes did not answer in time that the others are no majority. What went wrong on each is in its text.
var ErrNoQuorum = errors.New("redlock: too few nodes answer")

// Options of a lock. The zero value works. All who use a lock must agree on the nodes.
type Options struct {
	// TTL is how long a lease lasts unless it is renewed or released, less what taking it took and 1 %. At least 10 ms; default 30 s.
	TTL time.Duration
	// Jitter is how much longer than TTL a lease lasts at most, as a part of TTL; how much is drawn for each acquisition. From 0 to 1;
	// default 0.1; negative: none.
	Jitter float64
	// Watchdog renews every lease about each third of TTL, until it is released or cannot be renewed.
	Watchdog bool
	// NodeTimeout is how long a node may take to answer; one that takes longer counts as down. At most TTL; default a twentieth of it.
	NodeTimeout time.Duration
	// RetryMin and RetryMax bound the pauses of one who waits; each is drawn anew. Default 50 ms and 250 ms.
	RetryMin, RetryMax time.Duration
}

func (o Options) fill() (Options, error) {
	def := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	def(&o.TTL, 30*time.Second)
	def(&o.NodeTimeout, o.TTL/20)
	def(&o.RetryMin, 50*time.Millisecond)
	def(&o.RetryMax, max(250*time.Millisecond, o.RetryMin))
	if o.Jitter == 0 {
		o.Jitter = 0.1
	}
	o.Jitter = max(o.Jitter, 0)
	if o.TTL < 10*time.Millisecond || o.NodeTimeout < 0 || o.NodeTimeout > o.TTL || o.RetryMin < 0 || o.RetryMax < o.RetryMin || !(o.Jitter <= 1) {
		return o, fmt.Errorf("%w: TTL %v, NodeTimeout %v, RetryMin %v, RetryMax %v, Jitter %v", lock.ErrOptions,
			o.TTL, o.NodeTimeout, o.RetryMin, o.RetryMax, o.Jitter)
	}
	return o, nil
}

// Lock is a named lock on several nodes. It is safe for use by any number of goroutines.
type Lock struct {
	nodes   []engine.Client
	key     string
	o       Options
	scripts *sync.Map // *redis.Script to *engine.Script
}

// New returns the lock of that name on nodes, each a server, or an engine, of its own: not the masters of one cluster, nor a master and its replica. An odd number is best: of
// five, two may be down. It touches nothing. It returns [lock.ErrName] for a name that is empty or holds a brace, and [lock.ErrOptions], also when there
// is no node.
func New(nodes []engine.Client, name string, o Options) (*Lock, error) {
	if name == "" || strings.ContainsAny(name, "{}") {
		return nil, lock.ErrName
	}
	if len(nodes) == 0 {
		return nil, fmt.Errorf("%w: no nodes", lock.ErrOptions)
	}
	o, err := o.fill()
	if err != nil {
		return nil, err
	}
	return &Lock{nodes: append([]engine.Client(nil), nodes...), key: "redlock:{" + name + "}", o: o, scripts: &sync.Map{}}, nil
}

// Key is the lock's key on each node.
func (l *Lock) Key() string { return l.key }

func (l *Lock) quorum() int { return len(l.nodes)/2 + 1 }

// Acquire takes the lock, and waits for it until ctx ends; then it returns [lock.ErrNotAcquired] and the context's error in one. It returns
// [ErrNoQuorum] at once when too few nodes answer. What it got on some nodes but not on most it gives back.
func (l *Lock) Acquire(ctx context.Context) (*Lease, error) {
	for {
		lease, err := l.once(ctx)
		if !errors.Is(err, lock.ErrNotAcquired) {
			return lease, err
		}
		pause := time.NewTimer(l.o.RetryMin + time.Duration(rand.Int64N(int64(l.o.RetryMax-l.o.RetryMin)+1)))
		select {
		case <-ctx.Done():
			pause.Stop()
			return nil, fmt.Errorf("%w: %w", lock.ErrNotAcquired, context.Cause(ctx))
		case <-pause.C:
		}
	}
}

// TryAcquire is Acquire with an end to the waiting: wait, or the end of ctx. It asks each node only once if wait is 0 or less. A call that is under way is
// not cut short, but for NodeTimeout.
func (l *Lock) TryAcquire(ctx context.Context, wait time.Duration) (*Lease, error) {
	if wait <= 0 {
		return l.once(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	return l.Acquire(ctx)
}

// once asks each node once.
func (l *Lock) once(ctx context.Context) (*Lease, error) {
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%w: %w", lock.ErrNotAcquired, context.Cause(ctx))
	}
	lease := &Lease{lock: l}
	pools := make([]redis.Pool, len(l.nodes))
	for i, c := range l.nodes {
		n := &node{c: c, scripts: l.scripts}
		lease.nodes, pools[i] = append(lease.nodes, n), n
	}
	ttl := l.o.TTL + time.Duration(rand.Float64()*l.o.Jitter*float64(l.o.TTL))
	lease.mutex = redsync.New(pools...).NewMutex(l.key,
		redsync.WithExpiry(ttl.Truncate(time.Millisecond)), redsync.WithTimeoutFactor(float64(l.o.NodeTimeout)/float64(ttl)))
	// It takes two NodeTimeouts at most, and must not be kept from giving back what it got.
	if err := lease.mutex.TryLockContext(context.WithoutCancel(ctx)); err != nil {
		return nil, lease.failed(err, lock.ErrNotAcquired)
	}
	lease.keeper = keep.New(keep.RealClock{}, lease.mutex.Until(), lock.ErrLost)
	if l.o.Watchdog {
		lease.keeper.Watch(l.o.TTL/3, lock.ErrNotHeld, lease.Renew)
	}
	return lease, nil
}
