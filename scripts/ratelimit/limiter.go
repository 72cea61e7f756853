package ratelimit

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
)

var (
	// ErrLimited is found by errors.Is in the *[LimitedError] of a call that is not let through now.
	ErrLimited = errors.New("ratelimit: limited")
	// ErrNeverAllowed is returned for more than the limiter ever lets through at once. Nothing was counted.
	ErrNeverAllowed = errors.New("ratelimit: more than is ever allowed at once")
	// ErrCost is returned for an amount below 1.
	ErrCost = errors.New("ratelimit: the amount must be at least 1")
	// ErrKey is returned for an empty key.
	ErrKey = errors.New("ratelimit: empty key")
	// ErrName is returned by New for an empty name, or one with a brace.
	ErrName = errors.New("ratelimit: name is empty or holds a brace")
)

// LimitedError is returned for a call that is not let through now.
type LimitedError struct{ Decision Decision }

// Error implements error.
func (e *LimitedError) Error() string {
	return fmt.Sprintf("ratelimit: limited, retry after %v", e.Decision.RetryAfter)
}

// Unwrap returns [ErrLimited].
func (e *LimitedError) Unwrap() error { return ErrLimited }

// Outcome is what was decided.
type Outcome int

// The outcomes.
const (
	// Allowed: let through, and counted.
	Allowed Outcome = iota + 1
	// Limited: not now, but after RetryAfter. Nothing was counted.
	Limited
	// NeverAllowed: more than the limiter ever lets through at once. Nothing was counted.
	NeverAllowed
)

// String is the outcome in words.
func (o Outcome) String() string {
	switch o {
	case Allowed:
		return "allowed"
	case Limited:
		return "limited"
	case NeverAllowed:
		return "never allowed"
	}
	return fmt.Sprintf("Outcome(%d)", int(o))
}

// Decision is what a limiter answers.
type Decision struct {
	Outcome Outcome
	// Limit is the most that can be let through at once.
	Limit int64
	// Remaining is how much would be let through now.
	Remaining int64
	// RetryAfter is how long until the same call is let through, if nothing else is; 0 if it was. In whole microseconds, as ResetAfter.
	RetryAfter time.Duration
	// ResetAfter is how long until Remaining is Limit again and no call has left a trace.
	ResetAfter time.Duration
}

var (
	//go:embed fixed.lua
	fixedSource string
	//go:embed log.lua
	logSource string
	//go:embed counter.lua
	counterSource string
	//go:embed bucket.lua
	bucketSource string
	//go:embed gcra.lua
	gcraSource string
	//go:embed reset.lua
	resetSource string
)

var (
	scripts = map[Algorithm]*engine.Script{
		FixedWindow:    engine.NewScript(fixedSource),
		SlidingLog:     engine.NewScript(logSource),
		SlidingCounter: engine.NewScript(counterSource),
		TokenBucket:    engine.NewScript(bucketSource),
		GCRA:           engine.NewScript(gcraSource),
	}
	resetScript = engine.NewScript(resetSource)
)

// Script is the script behind [Limiter.Allow] with that algorithm; nil for one that there is not.
func Script(a Algorithm) *engine.Script { return scripts[a] }

// Limiter lets calls through by a policy. It is immutable and safe for use by any number of goroutines.
type Limiter struct {
	r      engine.Runner
	prefix string
	script *engine.Script
	compiled
}

// New returns the limiter of that name on r. It touches nothing. It returns [ErrName] or [ErrPolicy] for arguments that cannot be. Limiters
// of the same name and algorithm count together: they should have the same policy. After a change of the policy's numbers what was
// counted before is read as if it had been counted by the new ones, until it has passed.
func New(r engine.Runner, name string, p Policy) (*Limiter, error) {
	if name == "" || strings.ContainsAny(name, "{}") {
		return nil, ErrName
	}
	c, err := p.compile()
	if err != nil {
		return nil, err
	}
	return &Limiter{r: r, prefix: "ratelimit:" + p.Algorithm.String() + ":" + name + ":{", script: scripts[p.Algorithm], compiled: c}, nil
}

// Allow takes n for key, all or nothing. It returns a *[LimitedError], which says when to try again, where so much is not left; [ErrNeverAllowed] when n is
// more than is ever let through at once; [ErrCost] for n below 1 and [ErrKey] for an empty key. After another error, from a server, it is not known whether n was
// counted; who tries again counts it twice at worst, and lets through too little, never too much.
func (l *Limiter) Allow(ctx context.Context, key string, n int64) (Decision, error) {
	if d, err := l.check(n); err != nil {
		return d, err
	}
	return l.run(ctx, key, n)
}

// Peek tells what [Limiter.Allow] would decide, and counts nothing. That it would not be let through is no error.
func (l *Limiter) Peek(ctx context.Context, key string, n int64) (Decision, error) {
	d, err := l.check(n)
	if err == nil {
		d, err = l.run(ctx, key, -n)
	}
	if d.Outcome != 0 {
		return d, nil
	}
	return d, err
}

// check answers what no script needs to be asked for.
func (l *Limiter) check(n int64) (Decision, error) {
	switch {
	case n < 1:
		return Decision{}, ErrCost
	case n > l.capacity:
		return Decision{Outcome: NeverAllowed, Limit: l.capacity}, ErrNeverAllowed
	}
	return Decision{}, nil
}

// Reset forgets what was taken for key.
func (l *Limiter) Reset(ctx context.Context, key string) error {
	if key == "" {
		return ErrKey
	}
	_, err := l.r.RunScript(ctx, resetScript, []string{l.key(key)}, nil)
	return err
}

func (l *Limiter) key(key string) string { return l.prefix + key + "}" }

func (l *Limiter) run(ctx context.Context, key string, n int64) (Decision, error) {
	if key == "" {
		return Decision{}, ErrKey
	}
	keys := [...]string{l.key(key)}
	var space [4]string
	v, err := l.r.RunScript(ctx, l.script, keys[:], append(append(space[:0], l.args...), decimal(n)))
	if err != nil {
		return Decision{}, err
	}
	list := v.Slice()
	if len(list) != 4 {
		return Decision{}, fmt.Errorf("ratelimit: unexpected reply %q", v.Format())
	}
	d := Decision{
		Outcome: Allowed, Limit: l.capacity, Remaining: list[1].Int(),
		RetryAfter: time.Duration(list[2].Int()) * time.Microsecond, ResetAfter: time.Duration(list[3].Int()) * time.Microsecond,
	}
	if list[0].Int() != 1 {
		d.Outcome = Limited
		return d, &LimitedError{d}
	}
	return d, nil
}
