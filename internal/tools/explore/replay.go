package explore

import (
	"errors"
	"fmt"
	"slices"
)

// Replay runs one order. When its steps have been taken, the actors that it names go on, one after
// the other, to the end. Actors that it does not name do not take part if out says so. onStep is
// called before each step with its number, from 0, and its actor; it may be nil.
//
// The result has Order and Events also if nothing is broken. The error is a *CannotStepError if the
// order names an actor that has no step to take.
func Replay(sys System, out Actors, order []int, onStep func(n, actor int)) (Result, error) {
	taken := []int{}
	choose := func(enabled []int) int {
		actor, n := enabled[0], len(taken)
		switch {
		case n < len(order):
			actor = order[n]
		case n > 0 && slices.Contains(enabled, taken[n-1]):
			actor = taken[n-1]
		}
		taken = append(taken, actor)
		return actor
	}
	r, err := play(sys, out, choose, onStep)
	if n := len(r.Order); err == nil && r.Broken == nil && n < len(order) {
		err = &CannotStepError{Step: n, Actor: order[n]}
	}
	return r, err
}

// play runs one order. choose returns the actor of the next step.
func play(sys System, out Actors, choose func(enabled []int) int, onStep func(n, actor int)) (r Result, err error) {
	endAlways(sys, func() { r, err = playOrder(sys, out, choose, onStep) })
	return r, err
}

// playOrder is play; it ends the run if no code panics.
func playOrder(sys System, out Actors, choose func(enabled []int) int, onStep func(n, actor int)) (r Result, err error) {
	ended := func(err error, whole bool) (Result, error) {
		end := sys.End(whole)
		if err == nil {
			err, end = end, nil
		}
		r.Orders, r.Whole = 1, whole
		if errors.As(err, &r.Broken) {
			err = nil
		}
		return r, errors.Join(err, end)
	}
	if err := sys.Begin(out); err != nil {
		return ended(err, false)
	}
	for {
		enabled := sys.Enabled()
		if len(enabled) == 0 {
			return ended(nil, true)
		}
		actor := choose(enabled)
		if !slices.Contains(enabled, actor) {
			return ended(&CannotStepError{Step: len(r.Order), Actor: actor}, false)
		}
		if onStep != nil {
			onStep(len(r.Order), actor)
		}
		event, err := sys.Step(actor)
		r.Steps++
		r.Order, r.Events = append(r.Order, actor), append(r.Events, event)
		if err != nil {
			return ended(err, false)
		}
	}
}

// CannotStepError is the error of an order that names an actor when it has no step to take.
type CannotStepError struct{ Step, Actor int }

func (e *CannotStepError) Error() string {
	return fmt.Sprintf("step %d: actor %d cannot take a step there", e.Step+1, e.Actor)
}

// Serial runs actors one after the other. blocks names them in order. A free actor takes one step
// for each time that it is named. Another runs to its end: if it must wait, the next block begins,
// and it goes on as soon as it can.
func Serial(sys System, out Actors, blocks []int) (Result, error) {
	next, begun := 0, []int{}
	choose := func(enabled []int) int {
		for _, a := range begun {
			if slices.Contains(enabled, a) {
				return a
			}
		}
		for next < len(blocks) {
			a := blocks[next]
			next++
			if !sys.Free(a) {
				begun = append(begun, a)
			}
			if slices.Contains(enabled, a) {
				return a
			}
		}
		return enabled[0]
	}
	return play(sys, out, choose, nil)
}
