package lock

import (
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
)

// Errors of a lock.
var (
	// ErrHeld is returned by Acquire when somebody holds the lock.
	ErrHeld = errors.New("lock: held by another")
	// ErrNotHeld is returned by Release and Renew when the lease has ended.
	ErrNotHeld = errors.New("lock: not held any more")
	// ErrTTL is returned for a time to live below 1 ms.
	ErrTTL = errors.New("lock: time to live must be at least 1 ms")
	// ErrName is returned by New for a name that cannot be a hash tag.
	ErrName = errors.New("lock: name is empty or holds a brace")
)

//go:embed acquire.lua
var acquireSource string

//go:embed release.lua
var releaseSource string

//go:embed renew.lua
var renewSource string

var (
	acquireScript = engine.NewScript(acquireSource)
	releaseScript = engine.NewScript(releaseSource)
	renewScript   = engine.NewScript(renewSource)
)

// Lock is a named lock. It is immutable and safe for use by any number of goroutines.
type Lock struct {
	r    engine.Runner
	keys []string
}

// New returns the lock of that name on r. It touches nothing. It returns [ErrName] for a name that is
// empty or holds a brace.
func New(r engine.Runner, name string) (*Lock, error) {
	if name == "" || strings.ContainsAny(name, "{}") {
		return nil, ErrName
	}
	return &Lock{r: r, keys: []string{"lock:{" + name + "}"}}, nil
}

// Lease is one acquisition of a lock.
type Lease struct {
	lock  *Lock
	token string
}

// Token is the random text that marks this lease in the keyspace.
func (l *Lease) Token() string { return l.token }

// Acquire takes the lock for ttl, rounded down to whole milliseconds. It does not wait: it returns [ErrHeld]
// when somebody holds the lock.
func (l *Lock) Acquire(ctx context.Context, ttl time.Duration) (*Lease, error) {
	if ttl < time.Millisecond {
		return nil, ErrTTL
	}
	lease := &Lease{lock: l, token: rand.Text()}
	if err := l.run(ctx, acquireScript, ErrHeld, lease.token, millis(ttl)); err != nil {
		return nil, err
	}
	return lease, nil
}

// Release gives the lock back. It returns [ErrNotHeld], and changes nothing, when the lease has ended.
func (l *Lease) Release(ctx context.Context) error {
	return l.lock.run(ctx, releaseScript, ErrNotHeld, l.token)
}

// Renew lets the lease last for ttl from now on. It returns [ErrNotHeld], and changes nothing, when
// the lease has ended.
func (l *Lease) Renew(ctx context.Context, ttl time.Duration) error {
	if ttl < time.Millisecond {
		return ErrTTL
	}
	return l.lock.run(ctx, renewScript, ErrNotHeld, l.token, millis(ttl))
}

// run runs one of the scripts; a result of 0 is the error refused.
func (l *Lock) run(ctx context.Context, s *engine.Script, refused error, args ...string) error {
	v, err := l.r.RunScript(ctx, s, l.keys, args)
	if err != nil {
		return err
	}
	if v.Int() == 0 {
		return refused
	}
	return nil
}

func millis(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
