package replay

// The search for the order in which operations ran that overlap and touch the same keys.

import (
	"cmp"
	"slices"
)

// Sizes of the search for an order.
const (
	maxSearched      = 96    // operations among which an order is searched
	maxOvertaking    = 32    // further operations that may have run before one of these
	maxTriedCommands = 20000 // commands that are tried in one search
)

// overlap reports whether the server may have run a and b in either order.
func overlap(a, b *operation) bool {
	return a.client != b.client && a.sent < b.replied && b.sent < a.replied
}

// conflicts reports whether the order of two operations may matter.
func (r *replayer) conflicts(a, b *operation) bool {
	if (r.usesUndeclaredKeys(a) && b.touchesKeys()) || (r.usesUndeclaredKeys(b) && a.touchesKeys()) {
		return true
	}
	return a.access.conflicts(&b.access)
}

// touchesKeys reports whether an operation may touch any key.
func (o *operation) touchesKeys() bool { return o.access.global || len(o.access.keys) > 0 }

// usesUndeclaredKeys reports whether an operation runs a script that uses keys that it does not
// declare.
func (r *replayer) usesUndeclaredKeys(o *operation) bool {
	if !o.facts.script || len(r.undeclaredKeys) == 0 {
		return false
	}
	for i := range o.steps {
		if r.undeclaredKeys[o.steps[i].script()] {
			return true
		}
	}
	return false
}

// hasRivals reports whether some operation may have run before o, although its reply came later,
// and may have changed the reply of o, or o its reply.
func (r *replayer) hasRivals(o *operation) bool {
	for _, x := range r.window.arrived {
		if x.sent >= o.replied {
			return false
		}
		if !x.done && x.resolved && overlap(o, x) && r.conflicts(o, x) {
			return true
		}
	}
	return false
}

// search looks for an order of operations in which each has its recorded reply.
type search struct {
	r     *replayer
	trial *trial
	pool  []*operation // the operations to choose from, in the preferred order
	// required are the operations that must be placed. The others may be placed or not: what runs
	// before them can be missing.
	required     map[*operation]bool
	requiredLeft int  // number of required operations that are not placed
	reachesEnd   bool // the recording has no operations behind the pool

	placed            map[*operation]bool
	order             []*operation // those in placed, in order
	placements        []placement  // of each operation in order
	longest           []*operation // the longest order so far
	longestPlacements []placement
	states            states
	// deadEnds are the states from which no order was found, with the operations that were stuck.
	deadEnds map[[2]uint64][]*operation
}

// newSearch returns the search for the order of o, which is next, and of the operations behind it.
func (r *replayer) newSearch(o *operation) *search {
	s := &search{
		r:        r,
		required: map[*operation]bool{},
		placed:   map[*operation]bool{},
		deadEnds: map[[2]uint64][]*operation{},
		states:   newStates(),
	}
	var near []*operation
	for _, x := range r.window.arrived {
		if len(near) >= 4*maxSearched {
			break
		}
		if !x.done && x.resolved {
			near = append(near, x)
		}
	}
	slices.SortStableFunc(near, byPreferredLine)
	members := near[:min(len(near), maxSearched)]
	far := near[len(members):]
	s.pool, s.reachesEnd = members, r.window.ended && len(far) == 0
	horizon := s.addOvertaking(members, far)
	for _, m := range members {
		if m == o || m.replied <= horizon {
			s.required[m] = true
		}
	}
	s.requiredLeft = len(s.required)
	return s
}

// addOvertaking adds those of the operations far behind the members of the pool to it that may have
// run before a member. It returns the line up to which no other operation may have done so.
func (s *search) addOvertaking(members, far []*operation) (horizon int64) {
	end := int64(0)
	for _, m := range members {
		end = max(end, m.replied)
	}
	horizon = s.r.window.line + 1
	before := map[*client][]*operation{} // operations that conflict with none, and run before the next of their client
	cut := map[*client]bool{}            // clients whose next operation that conflicts is not in the pool
	pool := slices.Clone(members)
	for _, x := range far {
		switch {
		case !slices.ContainsFunc(members, func(m *operation) bool { return s.r.conflicts(m, x) }):
			before[x.client] = append(before[x.client], x)
		case !cut[x.client] && x.sent < end && len(pool)-len(members)+len(before[x.client]) < maxOvertaking:
			pool = append(append(pool, before[x.client]...), x)
			delete(before, x.client)
		default:
			cut[x.client] = true
			horizon = min(horizon, x.sent)
		}
	}
	slices.SortStableFunc(pool, byPreferredLine) // the members stay in front
	s.pool = pool
	return horizon
}

// byPreferredLine compares two operations by the order in which they run if nothing speaks against
// it.
func byPreferredLine(a, b *operation) int { return cmp.Compare(a.preferredLine, b.preferredLine) }

// findOrder returns operations to run now, o among them, with their placements. If there is no
// order in which all have their recorded replies, these are the operations before the first one
// with another reply. It returns nothing if o is that operation, or if the search took too long.
func (r *replayer) findOrder(o *operation) (operations []*operation, placements []placement, err error) {
	s := r.newSearch(o)
	certain := false
	err = r.try(func(t *trial) {
		s.trial = t
		certain, _ = s.place(r.now())
	})
	switch {
	case err != nil:
		return nil, nil, err
	case !certain:
		if s.order, s.placements = s.longest, s.longestPlacements; !slices.Contains(s.order, o) {
			return nil, nil, nil
		}
	}
	// The later half has been tried because its replies show the order of the earlier half.
	half, all := len(s.required)/2, certain && s.reachesEnd
	for i, m := range s.order {
		if !all && half <= 0 && slices.Contains(operations, o) {
			break
		}
		if s.required[m] {
			half--
		}
		operations, placements = append(operations, m), append(placements, s.placements[i])
	}
	return operations, placements, nil
}

// place places a further operation, and all others behind it. now is the time of the last one. If
// it fails it returns the operations that could not be placed: an operation before them that
// conflicts with none of them is not to blame.
func (s *search) place(now int64) (ok bool, stuck []*operation) {
	if s.requiredLeft == 0 {
		return true, nil
	}
	id := s.states.id()
	if stuck, known := s.deadEnds[id]; known {
		return false, stuck
	}
	ok, stuck = s.placeNext(now)
	if !ok && len(stuck) > 0 { // not because the search is too long
		s.deadEnds[id] = stuck
	}
	return ok, stuck
}

// placeNext is place for a state in which the search has not been.
func (s *search) placeNext(now int64) (ok bool, stuck []*operation) {
	candidates := s.candidates()
	var choices []choice
	for i, o := range candidates {
		if s.trial.runs > s.r.triedCommandsLimit() {
			return false, nil
		}
		if !o.isTried() {
			p := placement{at: max(now, s.r.micros(o.sentAt)), exact: true}
			if i == 0 {
				return s.placeThenRest(o, p)
			}
			choices = append(choices, choice{o, p})
			continue
		}
		p, ok := s.trial.attempt(o, max(now, s.r.micros(o.sentAt)))
		switch {
		case !ok:
		case !p.changed: // it can stand here in any order that it can stand in
			if ok, stuck = s.placeThenRest(o, p); !ok {
				s.trial.undo(p.commands)
			}
			return ok, stuck
		default:
			s.trial.undo(p.commands)
			choices = append(choices, choice{o, p})
		}
	}
	slices.SortStableFunc(choices, func(a, b choice) int { return a.operation.vagueness() - b.operation.vagueness() })
	return s.placeOneOf(choices, candidates)
}

// placeOneOf places one of the choices, and all others behind it.
func (s *search) placeOneOf(choices []choice, candidates []*operation) (ok bool, stuck []*operation) {
	for _, c := range choices {
		s.trial.repeat(c.operation, c.placement)
		ok, behind := s.placeThenRest(c.operation, c.placement)
		if ok {
			return true, nil
		}
		s.trial.undo(c.placement.commands)
		if !slices.ContainsFunc(behind, func(x *operation) bool { return s.r.conflicts(c.operation, x) }) {
			return false, behind // another operation in its place does not help, or the search is too long
		}
		stuck = append(append(stuck, c.operation), behind...)
	}
	return false, append(stuck, s.blockers(candidates)...)
}

// choice is an operation that may be placed next.
type choice struct {
	operation *operation
	placement placement
}

// isTried reports whether a trial runs the operation. SUBSCRIBE, for example, fits everywhere.
func (o *operation) isTried() bool { return o.kind == runsCommands && o.skip == "" && o.facts.data }

// vagueness says how little the replies of an operation show about its place in the order: 0 if
// they may show something, 1 if they show nothing, 2 if the operation is not tried.
func (o *operation) vagueness() int {
	if !o.isTried() {
		return 2
	}
	for i := range o.steps {
		if w := o.steps[i].want; w != nil && w.raw != "+OK\r\n" {
			return 0
		}
	}
	return 1
}

// placeThenRest places o, which has been tried, and all others behind it.
func (s *search) placeThenRest(o *operation, p placement) (ok bool, stuck []*operation) {
	s.push(o, p)
	if ok, stuck = s.place(p.at); !ok {
		s.pop()
	}
	return ok, stuck
}

// candidates returns the operations that may be next.
func (s *search) candidates() (list []*operation) {
	limit := int64(-1) // an operation that was sent behind this line runs after one that is not placed
	for _, o := range s.pool {
		if !s.placed[o] && (limit < 0 || o.replied < limit) {
			limit = o.replied
		}
	}
	for _, o := range s.pool {
		if !s.placed[o] && o.sent <= limit && s.isNext(o) {
			list = append(list, o)
		}
	}
	return list
}

// blockers returns those of the candidates, none of which can be placed, that must be placed before
// the search can go on: the one whose reply came first, and those that conflict with it or keep
// such ones from being placed.
func (s *search) blockers(candidates []*operation) (list []*operation) {
	if len(candidates) == 0 {
		return nil
	}
	list = []*operation{
		slices.MinFunc(candidates, func(a, b *operation) int { return cmp.Compare(a.replied, b.replied) }),
	}
	for i := 0; i < len(list); i++ {
		for _, x := range s.pool {
			if s.placed[x] || !s.r.conflicts(list[i], x) {
				continue
			}
			for _, c := range candidates { // x itself, or what must be placed before it
				if c.client == x.client && !slices.Contains(list, c) {
					list = append(list, c)
				}
			}
		}
	}
	return list
}

// triedCommandsLimit returns the number of commands that a search may try. A recording that differs
// in many replies is not worth long searches.
func (r *replayer) triedCommandsLimit() int {
	if r.report.Count() > 20 {
		return maxTriedCommands / 20
	}
	return maxTriedCommands
}

// push places an operation.
func (s *search) push(o *operation, p placement) {
	s.placed[o] = true
	s.states.push(s.r, o, p.changed)
	s.order, s.placements = append(s.order, o), append(s.placements, p)
	if s.required[o] {
		s.requiredLeft--
	}
	if len(s.order) > len(s.longest) {
		s.longest, s.longestPlacements = slices.Clone(s.order), slices.Clone(s.placements)
	}
}

// pop undoes the last push.
func (s *search) pop() {
	last := len(s.order) - 1
	o := s.order[last]
	s.order, s.placements = s.order[:last], s.placements[:last]
	delete(s.placed, o)
	s.states.pop()
	if s.required[o] {
		s.requiredLeft++
	}
}

// isNext reports whether the members before o on its connection have been placed.
func (s *search) isNext(o *operation) bool {
	for _, x := range s.pool {
		if x.client == o.client && x.sent < o.sent && !s.placed[x] {
			return false
		}
	}
	return true
}
