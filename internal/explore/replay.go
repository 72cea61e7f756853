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
// The result has Order and Events also if nothing is broken.
func Replay(sys System, out Actors, order []int, onStep func(n, actor int)) (Result, error) {
	r := Result{Order: []int{}}
	fail := func(err error) (Result, error) {
		end := sys.End(false)
		var broken *Broken
		if !errors.As(err, &broken) {
			return r, errors.Join(err, end)
		}
		r.Broken, r.Orders = broken, 1
		return r, end
	}
	if err := sys.Begin(out); err != nil {
		return fail(err)
	}
	for {
		enabled := sys.Enabled()
		if len(enabled) == 0 && len(r.Order) >= len(order) {
			break
		}
		actor := 0
		if n := len(r.Order); n < len(order) {
			if actor = order[n]; !slices.Contains(enabled, actor) {
				return fail(&CannotStepError{Step: n, Actor: actor})
			}
		} else if actor = enabled[0]; n > 0 && slices.Contains(enabled, r.Order[n-1]) {
			actor = r.Order[n-1]
		}
		if onStep != nil {
			onStep(len(r.Order), actor)
		}
		event, err := sys.Step(actor)
		r.Steps++
		r.Order, r.Events = append(r.Order, actor), append(r.Events, event)
		if err != nil {
			return fail(err)
		}
	}
	r.Orders, r.Whole = 1, true
	err := sys.End(true)
	if errors.As(err, &r.Broken) {
		err = nil
	}
	return r, err
}

// CannotStepError is the error of an order that names an actor when it has no step to take.
type CannotStepError struct{ Step, Actor int }

func (e *CannotStepError) Error() string {
	return fmt.Sprintf("step %d: actor %d cannot take a step there", e.Step+1, e.Actor)
}

// Serial is an order of actors; the result runs each to its end, in turn. An actor that must wait
// lets the next one go on, and goes on as soon as it can.
func Serial(sys System, out Actors, actors []int) (Result, error) {
	var r Result
	if err := sys.Begin(out); err != nil {
		return r, errors.Join(err, sys.End(false))
	}
	for {
		enabled := sys.Enabled()
		if len(enabled) == 0 {
			break
		}
		actor := enabled[0]
		for _, a := range actors {
			if slices.Contains(enabled, a) {
				actor = a
				break
			}
		}
		event, err := sys.Step(actor)
		r.Steps++
		r.Order, r.Events = append(r.Order, actor), append(r.Events, event)
		if err != nil {
			end := sys.End(false)
			if errors.As(err, &r.Broken) {
				return r, end
			}
			return r, errors.Join(err, end)
		}
	}
	r.Orders, r.Whole = 1, true
	err := sys.End(true)
	if errors.As(err, &r.Broken) {
		err = nil
	}
	return r, err
}
