package lock

import (
	"errors"
	"fmt"

	"github.com/redmoon-lua/redmoon/engine"
)

// Errors of locks, leases and registers, for errors.Is.
var (
	// ErrNotAcquired is returned by Acquire and TryAcquire when somebody else has the lock; after waiting it comes with what ended that, an
	// error of the context or context.DeadlineExceeded.
	ErrNotAcquired = errors.New("lock: not acquired")
	// ErrNotHeld is returned by Renew and Release when the lease has ended before. ErrLost and ErrReleased are ErrNotHeld as well.
	ErrNotHeld = errors.New("lock: not held")
	// ErrLost is why a lease ended that was not released: its time is over, or the lock was taken away.
	ErrLost = fmt.Errorf("%w any more: lost", ErrNotHeld)
	// ErrReleased is why a lease ended that was released.
	ErrReleased = fmt.Errorf("%w any more: released", ErrNotHeld)
	// ErrStale is returned by Register.Write when a later fencing token has written.
	ErrStale = errors.New("lock: stale fencing token")
	// ErrName is returned for a name that cannot be a hash tag: empty, or with a brace.
	ErrName = errors.New("lock: name is empty or holds a brace")
	// ErrOptions is returned by New for durations or a jitter out of range.
	ErrOptions = errors.New("lock: options out of range")
)

// Outcome is what a call did.
type Outcome uint8

// The outcomes.
const (
	Unknown   Outcome = iota
	Acquired          // the lock was free and is taken
	Reentered         // its owner has taken it once more
	Refused           // another owner has it, or waits for it and comes first
	Queued            // the same, and the caller has a place in the queue
	Renewed           // the lease lasts for longer
	Released          // the lock is free
	StillHeld         // the lease has ended, others of the same owner have not
	NotHeld           // the lease had ended before
	Written           // the register has the value
	Stale             // a later fencing token has written
)

var outcomes = [...]string{"unknown", "acquired", "reentered", "refused", "queued", "renewed", "released", "still held", "not held", "written", "stale"}

// String is the outcome in words.
func (o Outcome) String() string {
	if int(o) < len(outcomes) {
		return outcomes[o]
	}
	return outcomes[Unknown]
}

// Err is the error that stands for the outcome; nil for one that is no failure.
func (o Outcome) Err() error {
	switch o {
	case Acquired, Reentered, Renewed, Released, StillHeld, Written:
		return nil
	case Refused, Queued:
		return ErrNotAcquired
	case NotHeld:
		return ErrNotHeld
	case Stale:
		return ErrStale
	}
	return errors.New("lock: unknown outcome")
}

// parse is the outcome that a script answers, and what it says beyond it.
func parse(v engine.Value) (Outcome, []engine.Value, error) {
	var rest []engine.Value
	word := v
	if list := v.Slice(); len(list) > 0 {
		word, rest = list[0], list[1:]
	}
	for o, name := range outcomes {
		if o != 0 && name == word.Text() {
			return Outcome(o), rest, nil
		}
	}
	return Unknown, nil, fmt.Errorf("lock: unexpected reply %q of kind %s", word.Text(), v.Kind())
}
