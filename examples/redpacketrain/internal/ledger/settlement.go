package ledger

import (
	"errors"
	"fmt"
)

// Kind is what a settlement is for.
type Kind string

// The kinds of settlements.
const (
	Grab   Kind = "grab"   // a packet that a user took
	Refund Kind = "refund" // what was left, back to the sender
)

// Settlement is one movement of money.
type Settlement struct {
	Key      string `json:"key"`      // idempotency key, unique in the whole database
	Activity string `json:"activity"` // the activity that the money comes from
	Kind     Kind   `json:"kind"`
	Packet   string `json:"packet"`  // id of the packet; of a refund, that of the refund
	Account  string `json:"account"` // who gets the money
	Cents    int64  `json:"cents"`   // at least 1
}

// ErrInvalid is wrapped by what Settlement.Check returns.
var ErrInvalid = errors.New("ledger: not a settlement")

// Check returns an error that wraps [ErrInvalid] for what no ledger takes.
func (s Settlement) Check() error {
	switch {
	case s.Key == "" || s.Activity == "" || s.Account == "":
		return fmt.Errorf("%w: without key, activity or account: %+v", ErrInvalid, s)
	case s.Kind != Grab && s.Kind != Refund:
		return fmt.Errorf("%w: of kind %q", ErrInvalid, s.Kind)
	case s.Cents < 1:
		return fmt.Errorf("%w: of %d cents", ErrInvalid, s.Cents)
	}
	return nil
}

// Outcome is what became of one settlement of a batch.
type Outcome int

// The outcomes.
const (
	Settled  Outcome = iota // the money has been moved, by this call
	Again                   // it had been moved before: the same settlement is there
	Conflict                // its key is taken by another settlement; nothing was moved
)

// String is the outcome's name.
func (o Outcome) String() string {
	switch o {
	case Settled:
		return "settled"
	case Again:
		return "again"
	case Conflict:
		return "conflict"
	}
	return fmt.Sprintf("Outcome(%d)", int(o))
}

// Total is a number of settlements and what is in them together.
type Total struct {
	Count int64
	Cents int64
}

// Plus is the sum of two totals.
func (t Total) Plus(u Total) Total { return Total{t.Count + u.Count, t.Cents + u.Cents} }
