package explore

import (
	"errors"
	"fmt"
	"slices"
)

// Options of a search. The zero value runs all orders that differ in more than steps that commute.
type Options struct {
	// Out are actors that do not take part.
	Out Actors
	// Unreduced runs every order, also if two orders differ only in steps that commute.
	Unreduced bool
	// Bounded limits the number of preemptions of an order to MaxPreemptions: how often an actor that
	// could go on is interrupted by another. Default: no limit.
	Bounded        bool
	MaxPreemptions int
	// MaxOrders is the number of runs after which the search stops. Default: no limit.
	MaxOrders int
	// MaxSteps is the number of steps after which a run is given up. Default: no limit.
	MaxSteps int
	// Late is asked before each run; if it returns true, the search stops. nil: never.
	Late func() bool
	// Same reports whether a repeated step is the same as before. Default: the texts are equal.
	Same func(was, is Event) bool

	// shortest, if it has an order, makes the search go on after a break of the same kind, and return
	// the shortest that it has met, at most as long as this.
	shortest Result
}

// Result is what a search has found.
type Result struct {
	Orders int // runs to their ends, that of Broken included
	Cut    int // runs that ended early because what follows was covered by others
	Long   int // runs that ended early because of MaxSteps
	Steps  int // steps of all runs
	// Whole is set if nothing was left out: the search has not stopped early, and no run was given up.
	Whole bool
	// Broken is the first break that was found, or nil. Order and Events are the steps up to it.
	Broken *Broken
	Order  []int
	Events []Event
}

// Search runs a system in every order of its steps, within o, until an order breaks it. The error
// is that of the system, or a *ReplayError.
func Search(sys System, o Options) (r Result, err error) {
	s := &search{sys: sys, Options: o}
	if s.Same == nil {
		s.Same = func(was, is Event) bool { return was.Text == is.Text }
	}
	defer func() {
		if s.shortest.Broken != nil {
			r.Broken, r.Order, r.Events = s.shortest.Broken, s.shortest.Order, s.shortest.Events
		}
	}()
	for {
		if s.Late != nil && s.Late() || s.MaxOrders > 0 && s.result.Orders+s.result.Cut+s.result.Long >= s.MaxOrders {
			return s.result, nil
		}
		if err := s.run(); err != nil {
			return s.result, err
		}
		if s.result.Broken != nil {
			if s.shortest.Broken == nil {
				return s.result, nil
			}
			s.keepShortest()
		}
		if !s.backtrack() {
			s.result.Whole = s.result.Long == 0
			return s.result, nil
		}
	}
}

// keepShortest keeps the break of the last run if it is shorter, and forgets it for the next runs.
func (s *search) keepShortest() {
	if s.result.Broken.Kind == s.shortest.Broken.Kind && s.result.length() < s.shortest.length() {
		s.shortest = s.result
	}
	s.result.Broken, s.result.Order, s.result.Events = nil, nil, nil
}

// node is a state of the system on the path of the running order, and the step that the order takes
// from it.
type node struct {
	enabled []int
	todo    Actors       // actors to be tried from here; contains tried
	tried   Actors       // actors whose orders have all been run
	asleep  map[int]Uses // actors whose orders from here are covered by others, and the uses of their next steps

	actor  int
	event  Event
	number int   // of the event among those of its actor, from 1
	clock  []int // for each actor, how many of its events happen before this event or are it
}

// search goes through the orders. path is the running one.
type search struct {
	sys System
	Options
	path   []*node
	fresh  int // the first node of path whose step has not been taken before
	result Result
}

// run runs the order that path begins, and extends path to the end of the order.
func (s *search) run() (err error) {
	endAlways(s.sys, func() { err = s.runOrder() })
	return err
}

// runOrder is run; it ends the run if no code panics.
func (s *search) runOrder() error {
	if err := s.sys.Begin(s.Out); err != nil {
		return s.ended(0, err, false)
	}
	for depth := 0; ; depth++ {
		if depth == len(s.path) {
			enabled := s.sys.Enabled()
			if len(enabled) == 0 {
				return s.ended(depth, nil, true)
			}
			if s.MaxSteps > 0 && depth >= s.MaxSteps {
				s.result.Long++
				return s.sys.End(false)
			}
			n := s.newNode(enabled)
			if n == nil {
				s.result.Cut++
				return s.sys.End(false)
			}
			s.path = append(s.path, n)
		}
		n := s.path[depth]
		if depth < s.fresh && !slices.Contains(s.sys.Enabled(), n.actor) {
			return errors.Join(&ReplayError{Step: depth, Actor: n.actor, Was: n.event.Text}, s.sys.End(false))
		}
		event, err := s.sys.Step(n.actor)
		s.result.Steps++
		if depth < s.fresh {
			if !s.Same(n.event, event) {
				return errors.Join(&ReplayError{Step: depth, Actor: n.actor, Was: n.event.Text, Is: event.Text}, s.sys.End(false))
			}
		} else {
			n.event = event
			s.relate(depth)
		}
		if err != nil {
			return s.ended(depth+1, err, false)
		}
	}
}

// endAlways calls f, which runs a system and ends the run. If f panics or ends the goroutine, as
// FailNow of a test does, endAlways ends the run.
func endAlways(sys System, f func()) {
	returned := false
	defer func() {
		if !returned {
			_ = sys.End(false)
		}
	}()
	f()
	returned = true
}

// ended ends a run of so many steps. err is that of its last step.
func (s *search) ended(steps int, err error, whole bool) error {
	end := s.sys.End(whole)
	if err == nil {
		err, end = end, nil
	}
	var broken *Broken
	switch {
	case err == nil:
		s.result.Orders++
		return nil
	case !errors.As(err, &broken):
		return errors.Join(err, end)
	}
	s.result.Orders++
	s.result.Broken = broken
	for _, n := range s.path[:steps] {
		s.result.Order = append(s.result.Order, n.actor)
		s.result.Events = append(s.result.Events, n.event)
	}
	return end
}

// newNode returns the node after the last one of path, or nil if every step from there is covered
// by other orders.
func (s *search) newNode(enabled []int) *node {
	n := &node{enabled: enabled, asleep: map[int]Uses{}}
	depth := len(s.path)
	if depth > 0 {
		before := s.path[depth-1]
		for actor, uses := range before.asleep {
			if actor != before.actor && !uses.Conflicts(before.event.Uses) {
				n.asleep[actor] = uses
			}
		}
	}
	if s.Unreduced {
		n.todo = Set(enabled...)
	}
	first := -1
	for _, a := range s.preferred(depth, enabled) {
		if _, sleeps := n.asleep[a]; !sleeps {
			first = a
			break
		}
	}
	if first < 0 {
		return nil
	}
	n.todo |= Set(first)
	n.actor = first
	return n
}

// preferred returns enabled with the actor first that does not interrupt the one before.
func (s *search) preferred(depth int, enabled []int) []int {
	last := s.lastBefore(depth)
	if last < 0 || !slices.Contains(enabled, last) {
		return enabled
	}
	order := []int{last}
	for _, a := range enabled {
		if a != last {
			order = append(order, a)
		}
	}
	return order
}

// lastBefore returns the actor of the last step before a node that is not free, or -1.
func (s *search) lastBefore(depth int) int {
	for i := depth - 1; i >= 0; i-- {
		if !s.sys.Free(s.path[i].actor) {
			return s.path[i].actor
		}
	}
	return -1
}

// interrupts reports whether a step of actor from a node is a preemption.
func (s *search) interrupts(depth, actor int) bool {
	if s.sys.Free(actor) {
		return false
	}
	last := s.lastBefore(depth)
	return last >= 0 && last != actor && slices.Contains(s.path[depth].enabled, last)
}

// backtrack sets path to the beginning of the next order. It returns false if there is none.
func (s *search) backtrack() bool {
	for depth := len(s.path) - 1; depth >= 0; depth-- {
		n := s.path[depth]
		n.tried |= Set(n.actor)
		if !s.Unreduced && !s.Bounded {
			n.asleep[n.actor] = n.event.Uses
		}
		for _, a := range s.preferred(depth, n.enabled) {
			_, sleeps := n.asleep[a]
			if sleeps || n.tried.Has(a) || !n.todo.Has(a) || s.Bounded && s.preemptions(depth, a) > s.MaxPreemptions {
				continue
			}
			n.actor, n.event = a, Event{}
			s.path, s.fresh = s.path[:depth+1], depth
			return true
		}
		s.path = s.path[:depth]
	}
	return false
}

// preemptions returns the number of preemptions of the steps before a node and one of actor from
// it.
func (s *search) preemptions(depth, actor int) (n int) {
	for i := range depth {
		if s.interrupts(i, s.path[i].actor) {
			n++
		}
	}
	if s.interrupts(depth, actor) {
		n++
	}
	return n
}

// String describes a result in one line.
func (r Result) String() string {
	return fmt.Sprintf("%d orders, %d cut short, %d given up, %d steps", r.Orders, r.Cut, r.Long, r.Steps)
}
