package explore

import "fmt"

// MaxActors is the largest number of actors of a system.
const MaxActors = 64

// System is what a search runs. Actors are numbered from 0.
type System interface {
	// Begin begins a run. The actors of out do not take part: Enabled does not name them. An error
	// other than *Broken ends the search.
	Begin(out Actors) error
	// Enabled returns the actors that can take a step now, in ascending order.
	Enabled() []int
	// Step lets an actor take its next step and returns what it was. The error is a *Broken if the
	// step has broken the system; another error ends the search.
	Step(actor int) (Event, error)
	// End ends the run. If whole is set, no actor is enabled, and the error is a *Broken if the system
	// is not as it must be at its end. Else the run was given up, and what it left is not looked at.
	// End is called once after each Begin, also after an error of Step.
	End(whole bool) error
	// Free reports whether a step of an actor does not count as a preemption of the actor before, such
	// as one of a clock.
	Free(actor int) bool
}

// Event is a step that was taken.
type Event struct {
	Actor int
	Uses  Uses
	// Wakes are the other actors that can take steps only because of this one.
	Wakes []int
	// Text is the step for people. A repeated run must have the same texts.
	Text string
	// Hidden is set for a step that does nothing, which is left out of orders for people.
	Hidden bool
}

// Actors is a set of actors.
type Actors uint64

// Set returns the set of some actors.
func Set(actors ...int) (s Actors) {
	for _, a := range actors {
		s |= 1 << a
	}
	return s
}

// Has reports whether a is in the set.
func (s Actors) Has(a int) bool { return s&(1<<a) != 0 }

// Broken is the error of a run that breaks what it must keep.
type Broken struct {
	// Kind says what was broken. A simpler order is looked for among those of the same kind.
	Kind string
	Err  error
}

func (b *Broken) Error() string { return b.Err.Error() }
func (b *Broken) Unwrap() error { return b.Err }

// ReplayError is the error of a system that did something else when the same steps were repeated.
type ReplayError struct {
	Step    int // from 0
	Actor   int
	Was, Is string // texts of the step in both runs; Is is "" if the actor could not take a step
}

func (e *ReplayError) Error() string {
	return fmt.Sprintf("step %d of actor %d was %q in one run and %q when the same steps were repeated", e.Step+1, e.Actor, e.Was, e.Is)
}
