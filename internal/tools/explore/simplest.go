package explore

import "slices"

// Simplest looks for a simpler order that breaks the system in the same way as found, the result of
// a search that broke it: first one without some of the actors, then one with fewer preemptions,
// then one with fewer steps. It runs at most budget orders for each attempt. droppable are the
// actors that it may leave out, in the order in which it tries. It may leave out an actor only if
// keeps returns true for the actors that are then out.
//
// It returns the simplest order that it has found, and the actors that are out in it.
func Simplest(sys System, found Result, o Options, budget int, droppable []int,
	keeps func(out Actors) (bool, error)) (Result, Actors, error) {
	best, out := found, o.Out
	try := func(o Options) (bool, error) {
		o.Unreduced = false
		o.MaxOrders = budget
		r, err := Search(sys, o)
		if err != nil || r.Broken == nil || r.Broken.Kind != found.Broken.Kind {
			return false, err
		}
		best, out = r, o.Out
		return true, nil
	}
	for _, a := range droppable {
		o.Out = out | Set(a)
		if ok, err := keeps(o.Out); err != nil {
			return best, out, err
		} else if ok {
			if _, err := try(o); err != nil {
				return best, out, err
			}
		}
	}
	o.Out = out
	for bound := range Preemptions(sys, best) {
		o.Bounded, o.MaxPreemptions = true, bound
		if ok, err := try(o); err != nil {
			return best, out, err
		} else if ok {
			break
		}
	}
	o.Bounded, o.MaxPreemptions, o.shortest = true, Preemptions(sys, best), best
	_, err := try(o)
	return best, out, err
}

// length is the number of steps that do something.
func (r Result) length() (n int) {
	for _, e := range r.Events {
		if !e.Hidden {
			n++
		}
	}
	return n
}

// Preemptions returns how often an actor that could go on is interrupted in the order of a result.
// It takes an actor to have gone on if it takes a step later.
func Preemptions(sys System, r Result) (n int) {
	last := -1
	for i, a := range r.Order {
		if sys.Free(a) {
			continue
		}
		if last >= 0 && a != last && slices.Contains(r.Order[i:], last) {
			n++
		}
		last = a
	}
	return n
}
