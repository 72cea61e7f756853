package lock

import (
	"context"
	_ "embed"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/lock/internal/keep"
)

//go:embed acquire.lua
var acquireSource string

//go:embed release.lua
var releaseSource string

//go:embed renew.lua
var renewSource string

//go:embed status.lua
var statusSource string

var (
	acquireScript = engine.NewScript(acquireSource)
	releaseScript = engine.NewScript(releaseSource)
	renewScript   = engine.NewScript(renewSource)
	statusScript  = engine.NewScript(statusSource)
)

// AcquireScript is the script behind [Lock.Acquire]; its head says what KEYS and ARGV are.
func AcquireScript() *engine.Script { return acquireScript }

// ReleaseScript is the script behind [Lease.Release].
func ReleaseScript() *engine.Script { return releaseScript }

// RenewScript is the script behind [Lease.Renew].
func RenewScript() *engine.Script { return renewScript }

// Options of a lock. The zero value works. All who use a lock should agree on Fair and WaiterTimeout.
type Options struct {
	// TTL is how long a lease lasts unless it is renewed or released. At least 10 ms; default 30 s.
	TTL time.Duration
	// Jitter is how much longer than TTL a lease lasts at most, as a part of TTL; how much is drawn for each acquisition and renewal. So leases taken
	// at one time do not end at one time. From 0 to 1; default 0.1; negative: none.
	Jitter float64
	// Watchdog renews every lease about each third of TTL, until it is released or cannot be renewed.
	Watchdog bool
	// Fair gives the lock to those who wait in the order in which they came. Without it whoever asks first after it is free
	// gets it.
	Fair bool
	// WaiterTimeout is how long one who waits for a fair lock may not be heard of before it loses its turn: for so long one that has
	// crashed keeps the others waiting. At least 10 ms; default 2 s.
	WaiterTimeout time.Duration
	// RetryMin and RetryMax bound the pauses of one who waits. They double from the one to the other, and are drawn anew each time from
	// the upper half. Default 10 ms and 500 ms.
	RetryMin, RetryMax time.Duration
	// Clock is the time by which leases end on the holder's side, and by which callers wait. Default: the machine's. A test on an engine with a
	// virtual clock gives it that one.
	Clock engine.Clock
}

const shortest = 10 * time.Millisecond // TTL, WaiterTimeout

func (o Options) fill() (Options, error) {
	def := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	def(&o.TTL, 30*time.Second)
	def(&o.WaiterTimeout, 2*time.Second)
	def(&o.RetryMin, 10*time.Millisecond)
	def(&o.RetryMax, max(500*time.Millisecond, o.RetryMin))
	if o.Jitter == 0 {
		o.Jitter = 0.1
	}
	o.Jitter = max(o.Jitter, 0)
	if o.Clock == nil {
		o.Clock = keep.RealClock{}
	}
	if o.TTL < shortest || o.WaiterTimeout < shortest || o.RetryMin < 0 || o.RetryMax < o.RetryMin || !(o.Jitter <= 1) {
		return o, fmt.Errorf("%w: TTL %v, WaiterTimeout %v, RetryMin %v, RetryMax %v, Jitter %v", ErrOptions,
			o.TTL, o.WaiterTimeout, o.RetryMin, o.RetryMax, o.Jitter)
	}
	return o, nil
}

// ttl is how long the next lease is to last.
func (o *Options) ttl() time.Duration {
	return o.TTL + time.Duration(rand.Float64()*o.Jitter*float64(o.TTL))
}

// Lock is a named lock. It is safe for use by any number of goroutines. Those that wait for it by the same Lock wake each other
// when they release; others ask from time to time.
type Lock struct {
	r     engine.Runner
	o     Options
	owner string   // "": each lease is an owner of its own
	keys  []string // lock, state, queue, deadlines
	local *waiters
}

// New returns the lock of that name on r. It touches nothing. It returns [ErrName] for a name that is empty or holds a
// brace, and [ErrOptions].
func New(r engine.Runner, name string, o Options) (*Lock, error) {
	if name == "" || strings.ContainsAny(name, "{}") {
		return nil, ErrName
	}
	o, err := o.fill()
	if err != nil {
		return nil, err
	}
	key := "lock:{" + name + "}"
	return &Lock{
		r: r, o: o, local: newWaiters(),
		keys: []string{key, key + ":state", key + ":queue", key + ":deadlines"},
	}, nil
}

// As returns the same lock for one owner, to whom it is reentrant: the owner acquires it again while it has it. All of its leases have the
// same fencing token, and the lock is free when all are released. Who is the same owner is the caller's choice, say a request's id; the
// empty one makes the lock not reentrant again.
func (l *Lock) As(owner string) *Lock {
	c := *l
	c.owner = owner
	return &c
}

// Keys returns the lock's keys in the order of the scripts' KEYS: lock, state, queue, deadlines.
func (l *Lock) Keys() []string { return append([]string(nil), l.keys...) }

// Status is how a lock stands.
type Status struct {
	Held      bool
	Owner     string        // who holds it: as given to As, else the id of the lease
	Token     int64         // the fencing token given out last; 0: none
	Holds     int           // leases of the owner
	Remaining time.Duration // until it is free unless it is renewed or released
	Waiters   int           // in the queue of a fair lock, with those that are heard of no more
}

// Status tells how the lock stands.
func (l *Lock) Status(ctx context.Context) (Status, error) {
	v, err := l.r.RunScript(ctx, statusScript, l.keys[:3], nil)
	if err != nil {
		return Status{}, err
	}
	list := v.Slice()
	if len(list) != 5 {
		return Status{}, fmt.Errorf("lock: unexpected status of %d parts", len(list))
	}
	return Status{
		Held: !list[0].IsNil(), Owner: list[0].Text(), Token: list[1].Int(), Holds: int(list[2].Int()),
		Remaining: time.Duration(list[3].Int()) * time.Millisecond, Waiters: int(list[4].Int()),
	}, nil
}

// call runs one of the scripts.
func (l *Lock) call(ctx context.Context, s *engine.Script, keys []string, args ...string) (Outcome, []engine.Value, error) {
	v, err := l.r.RunScript(ctx, s, keys, args)
	if err != nil {
		return Unknown, nil, err
	}
	return parse(v)
}

func millis(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
