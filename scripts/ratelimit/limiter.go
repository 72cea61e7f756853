package ratelimit

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/scripts/internal/script"
)

// Errors of a limiter.
var (
	// ErrName is returned by New for a name that is empty, longer than 512 bytes or not UTF-8, or
	// that has a brace.
	ErrName = errors.New("ratelimit: " + script.NameRule)
	// ErrOptions is returned by New for options out of range, and for options whose arithmetic
	// would not be exact in the float64 of a script.
	ErrOptions = errors.New("ratelimit: options out of range")
	// ErrLimited is wrapped by the *[LimitedError] of a call that is not let through now. Nothing
	// was counted.
	ErrLimited = errors.New("ratelimit: limited")
	// ErrNeverAllowed is returned for an amount above Decision.Limit. Nothing was counted.
	ErrNeverAllowed = errors.New("ratelimit: the amount is above the limit")
	// ErrCost is returned for an amount below 1. Nothing was counted.
	ErrCost = errors.New("ratelimit: the amount must be at least 1")
	// ErrKey is returned for an empty key. Nothing was counted.
	ErrKey = errors.New("ratelimit: the key must not be empty")
)

// LimitedError is returned for a call that is not let through now. It wraps [ErrLimited].
type LimitedError struct{ Decision Decision }

// Error implements error.
func (e *LimitedError) Error() string {
	return fmt.Sprintf("ratelimit: limited, retry after %v", e.Decision.RetryAfter)
}

// Unwrap returns [ErrLimited].
func (e *LimitedError) Unwrap() error { return ErrLimited }

// Outcome is what a limiter decided.
type Outcome int

// The outcomes.
const (
	// Unknown: the call failed, or it is unknown whether it was counted; see the error.
	Unknown Outcome = iota
	// Allowed: let through and counted.
	Allowed
	// Limited: not now, but after RetryAfter. Nothing was counted.
	Limited
	// NeverAllowed: the amount is above Limit. Nothing was counted.
	NeverAllowed
)

var outcomes = script.Names{"unknown", "allowed", "limited", "never allowed"}

// String is the outcome in words.
func (o Outcome) String() string { return outcomes.Of("Outcome", int(o)) }

// MarshalText returns the text of String, also in JSON.
func (o Outcome) MarshalText() ([]byte, error) { return outcomes.Text("ratelimit.Outcome", int(o)) }

// UnmarshalText reads what MarshalText returns, and refuses any other text.
func (o *Outcome) UnmarshalText(text []byte) error {
	return outcomes.Read("ratelimit.Outcome", (*int)(o), text)
}

// Decision is the answer of a limiter. Durations are in whole microseconds, rounded up.
type Decision struct {
	Outcome Outcome `json:"outcome"`
	// Limit is the largest amount that can be let through at one moment.
	Limit int64 `json:"limit"`
	// Remaining is the amount that would be let through now.
	Remaining int64 `json:"remaining"`
	// RetryAfter is the time after which the same call is let through, if no other call is; 0 if it
	// was let through.
	RetryAfter time.Duration `json:"-"`
	// ResetAfter is the time after which Remaining is Limit again and no state is left.
	ResetAfter time.Duration `json:"-"`
}

var (
	//go:embed common.lua
	commonSource string
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
	allowScripts = map[Algorithm]*script.Script{
		FixedWindow:    script.New("ratelimit: fixed window", commonSource+fixedSource),
		SlidingLog:     script.New("ratelimit: sliding log", commonSource+logSource),
		SlidingCounter: script.New("ratelimit: sliding counter", commonSource+counterSource),
		TokenBucket:    script.New("ratelimit: token bucket", commonSource+bucketSource),
		GCRA:           script.New("ratelimit: gcra", commonSource+gcraSource),
	}
	resetScript = script.New("ratelimit: reset", resetSource)
)

// AllowScript is the script behind [Limiter.Allow] with the algorithm a, or nil if there is no such
// algorithm. The heads of the Lua files describe KEYS and ARGV.
func AllowScript(a Algorithm) *engine.Script {
	if s := allowScripts[a]; s != nil {
		return s.Engine()
	}
	return nil
}

// Limiter lets a limited number of calls through. It is immutable and safe for use by any number of
// goroutines.
type Limiter struct {
	c      engine.Client
	prefix string
	script *script.Script
	compiled
}

// New returns the limiter of that name on c. It sends nothing. It returns [ErrName] or
// [ErrOptions].
//
// Limiters with the same name and algorithm share their counts; they should have the same options.
// If the numbers in Options change, counts from before are read as if they had been made with the
// new numbers, until they expire.
func New(c engine.Client, name string, o Options) (*Limiter, error) {
	if err := script.CheckName(ErrName, name); err != nil {
		return nil, err
	}
	compiled, err := o.compile()
	if err != nil {
		return nil, err
	}
	return &Limiter{
		c: c, prefix: "ratelimit:" + o.Algorithm.String() + ":" + name + ":{",
		script: allowScripts[o.Algorithm], compiled: compiled,
	}, nil
}

// Allow takes the amount n for key, all or nothing. It returns a *[LimitedError], which says when
// to retry, if less than n remains; [ErrNeverAllowed] if n is above the limit; [ErrCost] for n
// below 1; and [ErrKey] for an empty key.
//
// After another error of a server it is unknown whether n was counted. A caller that retries then
// may count n twice: the limiter lets too little through, never too much.
func (l *Limiter) Allow(ctx context.Context, key string, n int64) (Decision, error) {
	if d, err := l.check(n); err != nil {
		return d, err
	}
	return l.run(ctx, key, n)
}

// Peek returns what [Limiter.Allow] would decide, and counts nothing. A decision not to let the
// call through is not an error.
func (l *Limiter) Peek(ctx context.Context, key string, n int64) (Decision, error) {
	d, err := l.check(n)
	if err == nil {
		d, err = l.run(ctx, key, -n)
	}
	if d.Outcome != Unknown {
		return d, nil
	}
	return d, err
}

// check makes the decisions that need no script.
func (l *Limiter) check(n int64) (Decision, error) {
	switch {
	case n < 1:
		return Decision{}, fmt.Errorf("%w: %d", ErrCost, n)
	case n > l.capacity:
		return Decision{Outcome: NeverAllowed, Limit: l.capacity}, fmt.Errorf("%w: %d of %d", ErrNeverAllowed, n, l.capacity)
	}
	return Decision{}, nil
}

// Reset forgets what was taken for key. It returns [ErrKey] for an empty key.
func (l *Limiter) Reset(ctx context.Context, key string) error {
	if key == "" {
		return ErrKey
	}
	r, err := resetScript.Run(ctx, l.c, []string{l.key(key)}, nil)
	if err == nil && r.Outcome != "ok" {
		err = r.Unexpected()
	}
	return err
}

func (l *Limiter) key(key string) string { return l.prefix + key + "}" }

func (l *Limiter) run(ctx context.Context, key string, n int64) (Decision, error) {
	if key == "" {
		return Decision{}, ErrKey
	}
	keys := [...]string{l.key(key)}
	var space [4]string
	r, err := l.script.Run(ctx, l.c, keys[:], append(append(space[:0], l.args...), script.Int(n)))
	if err != nil {
		return Decision{}, err
	}
	d := Decision{
		Outcome: Outcome(outcomes.Find(r.Outcome)), Limit: l.capacity, Remaining: r.Int(0),
		RetryAfter: time.Duration(r.Int(1)) * time.Microsecond, ResetAfter: time.Duration(r.Int(2)) * time.Microsecond,
	}
	switch {
	case r.Err() != nil:
		return Decision{}, r.Err()
	case d.Outcome == Allowed:
		return d, nil
	case d.Outcome == Limited:
		return d, &LimitedError{d}
	}
	return Decision{}, r.Unexpected()
}
