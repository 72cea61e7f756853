package explore

import "slices"

// relate computes which events happen before the event of a node, and adds the orders in which the
// events that it races with come later. The nodes before it are related already.
func (s *search) relate(depth int) {
	n := s.path[depth]
	n.number, n.clock = 1, make([]int, MaxActors)
	var races []int
	for i := depth - 1; i >= 0; i-- {
		e := s.path[i]
		switch {
		case e.actor == n.actor:
			if n.number == 1 {
				n.number = e.number + 1
			}
		case n.clock[e.actor] >= e.number: // known to happen before
			continue
		case s.enables(i, depth):
		case e.event.Uses.Conflicts(n.event.Uses):
			races = append(races, i)
		default:
			continue
		}
		for a, t := range e.clock {
			n.clock[a] = max(n.clock[a], t)
		}
	}
	n.clock[n.actor] = n.number
	if s.Unreduced {
		return
	}
	for _, i := range races {
		if s.Bounded {
			s.reverseBounded(i, n.actor)
		} else {
			s.reverse(i, depth)
		}
	}
}

// enables reports whether the event of node i is why the actor of node n could take its step.
func (s *search) enables(i, n int) bool {
	actor := s.path[n].actor
	if !slices.Contains(s.path[i].event.Wakes, actor) {
		return false
	}
	for j := i + 1; j < n; j++ {
		if s.path[j].actor == actor {
			return false
		}
	}
	return true
}

// happensBefore reports whether the event of node i happens before that of node j, or is it.
func (s *search) happensBefore(i, j int) bool {
	return s.path[j].clock[s.path[i].actor] >= s.path[i].number
}

// reverse adds, at node i, the begin of an order in which the event of node n comes before that of
// node i: what happens between the two but not because of i, then n.
func (s *search) reverse(i, n int) {
	from := s.path[i]
	var between []int
	for j := i + 1; j <= n; j++ {
		if j == n || !s.happensBefore(i, j) {
			between = append(between, j)
		}
	}
	var first Actors // the actors that can begin such an order
	for k, j := range between {
		begins := true
		for _, before := range between[:k] {
			begins = begins && !s.happensBefore(before, j)
		}
		if a := s.path[j].actor; begins && slices.Contains(from.enabled, a) {
			first |= Set(a)
		}
	}
	switch actor := s.path[n].actor; {
	case first&from.todo != 0:
	case first.Has(actor):
		from.todo |= Set(actor)
	case first != 0:
		from.todo |= first & -first
	case s.sys.Free(actor) && !slices.Contains(from.enabled, actor):
		// A free actor takes a step only because no other can: nothing to reverse.
	default:
		from.todo |= Set(from.enabled...)
	}
}

// reverseBounded adds the orders in which actor comes before the event of node i, and those in
// which it comes where that interrupts nobody: the first may have too many preemptions.
func (s *search) reverseBounded(i, actor int) {
	s.add(i, actor)
	last := s.lastBefore(i)
	if last < 0 {
		return
	}
	start := i
	for j := i - 1; j >= 0; j-- {
		if s.sys.Free(s.path[j].actor) {
			continue
		}
		if s.path[j].actor != last {
			break
		}
		start = j
	}
	s.add(start, actor)
}

// add adds the orders from node i that begin with actor, or all if it cannot take a step there.
func (s *search) add(i, actor int) {
	n := s.path[i]
	if slices.Contains(n.enabled, actor) {
		n.todo |= Set(actor)
	} else {
		n.todo |= Set(n.enabled...)
	}
}
