package lock

import (
	"errors"
	"fmt"

	"github.com/redmoon-lua/redmoon/scripts/internal/script"
)

// Errors of locks, leases and registers.
var (
	// ErrName is returned by New and NewRegister for a name that is empty, longer than 512 bytes or
	// not UTF-8, or that has a brace.
	ErrName = errors.New("lock: " + script.NameRule)
	// ErrOptions is returned by New for options out of range.
	ErrOptions = errors.New("lock: options out of range")
	// ErrNotAcquired is returned by Acquire and TryAcquire if another owner has the lock. If they
	// waited, the error also wraps what ended the wait: the error of the context or
	// context.DeadlineExceeded.
	ErrNotAcquired = errors.New("lock: not acquired")
	// ErrNotHeld is returned by Renew and Release if the lease had ended before. ErrLost and
	// ErrReleased wrap it.
	ErrNotHeld = errors.New("lock: not held")
	// ErrLost is why a lease ended that was not released: its time passed, or the server no longer
	// had it.
	ErrLost = fmt.Errorf("%w any more: lost", ErrNotHeld)
	// ErrReleased is why a lease ended that was released.
	ErrReleased = fmt.Errorf("%w any more: released", ErrNotHeld)
	// ErrStale is returned by Register.Write if a later fencing token was written.
	ErrStale = errors.New("lock: stale fencing token")
)

// Outcome is what a call did.
type Outcome int

// The outcomes.
const (
	Unknown   Outcome = iota // the call failed, or it is unknown what it did; see the error
	Acquired                 // the lock was free and is taken
	Reentered                // its owner took it once more
	Refused                  // another owner has it, or is before the caller in the queue
	Queued                   // the same, and the caller has a place in the queue
	Renewed                  // the lease lasts longer
	Released                 // the lock is free
	StillHeld                // the lease ended; other leases of the same owner have not
	NotHeld                  // the lease had ended before
	Written                  // the register has the value
	Stale                    // a later fencing token was written
)

var outcomes = script.Names{
	"unknown", "acquired", "reentered", "refused", "queued", "renewed", "released", "still held",
	"not held", "written", "stale",
}

// String is the outcome in words.
func (o Outcome) String() string { return outcomes.Of("Outcome", int(o)) }

// MarshalText returns the text of String, also in JSON.
func (o Outcome) MarshalText() ([]byte, error) { return outcomes.Text("lock.Outcome", int(o)) }

// UnmarshalText reads what MarshalText returns, and refuses any other text.
func (o *Outcome) UnmarshalText(text []byte) error {
	return outcomes.Read("lock.Outcome", (*int)(o), text)
}

// err is the error of an outcome that means a failure, else nil.
func (o Outcome) err() error {
	switch o {
	case Refused, Queued:
		return ErrNotAcquired
	case NotHeld:
		return ErrNotHeld
	case Stale:
		return ErrStale
	}
	return nil
}
