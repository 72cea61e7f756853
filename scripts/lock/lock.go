package lock

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/internal/script"
	"github.com/redmoon-lua/redmoon/scripts/lock/internal/keep"
)

var (
	//go:embed acquire.lua
	acquireSource string
	//go:embed release.lua
	releaseSource string
	//go:embed renew.lua
	renewSource string
	//go:embed status.lua
	statusSource string
)

var (
	acquireScript = script.New("lock: acquire", acquireSource)
	releaseScript = script.New("lock: release", releaseSource)
	renewScript   = script.New("lock: renew", renewSource)
	statusScript  = script.New("lock: status", statusSource)
)

// AcquireScript is the script behind [Lock.Acquire]; the head of acquire.lua describes KEYS and
// ARGV.
func AcquireScript() *engine.Script { return acquireScript.Engine() }

// ReleaseScript is the script behind [Lease.Release]; the head of release.lua describes KEYS and
// ARGV.
func ReleaseScript() *engine.Script { return releaseScript.Engine() }

// RenewScript is the script behind [Lease.Renew]; the head of renew.lua describes KEYS and ARGV.
func RenewScript() *engine.Script { return renewScript.Engine() }

// Options of a lock. The zero value works. Every process that uses the lock should pass the same
// Fair and WaiterTimeout.
type Options struct {
	// TTL is how long a lease lasts unless it is renewed or released. At least 10 ms. Default: 30 s.
	TTL time.Duration
	// Jitter is the largest part of TTL by which a lease lasts longer than TTL. The part is random
	// for each acquisition and renewal, so leases that began together do not end together. From 0
	// to 1. Default: 0.1; negative: none.
	Jitter float64
	// Watchdog renews every lease about every third of TTL until it is released or cannot be renewed.
	// Default: only [Lease.Renew] renews.
	Watchdog bool
	// Fair serves waiters in the order in which they came. Without it the first caller that asks
	// after the lock is free gets it.
	Fair bool
	// WaiterTimeout is how long a waiter for a fair lock keeps its turn without polling. A waiter that
	// crashed delays the others for that long. At least 10 ms. Default: 2 s.
	WaiterTimeout time.Duration
	// RetryMin and RetryMax bound the polling interval of a waiter. It doubles from RetryMin to
	// RetryMax; each pause is random, from half the interval to all of it. Default: 10 ms, and 500 ms
	// or RetryMin if that is longer.
	RetryMin, RetryMax time.Duration
	// Clock measures the lease on the holder's side and the pauses of waiters. Default: the clock of
	// the machine. In a test on an engine with a virtual clock, pass that clock.
	Clock engine.Clock
}

func (o Options) fill() (Options, error) {
	timing := keep.Timing{TTL: o.TTL, Jitter: o.Jitter, RetryMin: o.RetryMin, RetryMax: o.RetryMax}
	err := timing.Fill(ErrOptions, 10*time.Millisecond, 500*time.Millisecond)
	o.TTL, o.Jitter, o.RetryMin, o.RetryMax = timing.TTL, timing.Jitter, timing.RetryMin, timing.RetryMax
	script.Default(&o.WaiterTimeout, 2*time.Second)
	if o.Clock == nil {
		o.Clock = keep.RealClock{}
	}
	if err == nil && o.WaiterTimeout < keep.MinTTL {
		err = fmt.Errorf("%w: WaiterTimeout %v is below %v", ErrOptions, o.WaiterTimeout, keep.MinTTL)
	}
	return o, err
}

// Lock is a named lock. It is safe for use by any number of goroutines. Goroutines that wait for
// the same Lock wake each other when they release; other waiters poll.
type Lock struct {
	c     engine.Client
	o     Options
	owner string   // "": each lease has its own owner
	keys  []string // lock, state, queue, deadlines
	local *waiters
}

// New returns the lock of that name on c. It sends nothing. It returns [ErrName] or [ErrOptions].
func New(c engine.Client, name string, o Options) (*Lock, error) {
	if err := script.CheckName(ErrName, name); err != nil {
		return nil, err
	}
	o, err := o.fill()
	if err != nil {
		return nil, err
	}
	key := "lock:{" + name + "}"
	return &Lock{
		c: c, o: o, local: newWaiters(),
		keys: []string{key, key + ":state", key + ":queue", key + ":deadlines"},
	}, nil
}

// As returns the same lock for one owner, who can acquire it again while holding it (it is
// reentrant). All its leases have the same fencing token, and the lock is free when all are
// released. The caller decides what an owner is, such as a request id. With the empty owner the
// lock is not reentrant.
func (l *Lock) As(owner string) *Lock {
	c := *l
	c.owner = owner
	return &c
}

// Keys returns the keys of the lock in the order of the scripts' KEYS: lock, state, queue,
// deadlines.
func (l *Lock) Keys() []string { return slices.Clone(l.keys) }

// ttl is how long the next lease lasts on the server.
func (l *Lock) ttl() time.Duration { return keep.Jittered(l.o.TTL, l.o.Jitter) }

// run runs a script whose outcomes are those of Outcome.
func (l *Lock) run(ctx context.Context, s *script.Script, keys []string, args ...string) (Outcome, script.Reply, error) {
	r, err := s.Run(ctx, l.c, keys, args)
	if err != nil {
		return Unknown, r, err
	}
	o := Outcome(outcomes.Find(r.Outcome))
	if o == Unknown {
		return Unknown, r, r.Unexpected()
	}
	return o, r, nil
}
