package replay

import (
	"cmp"
	"slices"
)

// Sizes of the search for an order.
const (
	searched = 96    // ops among which an order is searched
	overtake = 32    // further ops that may have run before one of these
	maxRuns  = 20000 // commands that are tried in one search
)

// overlap reports whether the server may have run a and b in either order.
func overlap(a, b *op) bool { return a.c != b.c && a.sent < b.replied && b.sent < a.replied }

// conflicts reports whether the order of two ops may matter.
func (r *replayer) conflicts(a, b *op) bool {
	if r.isWide(a) && b.touches() || r.isWide(b) && a.touches() {
		return true
	}
	return a.access.conflicts(&b.access)
}

func (o *op) touches() bool { return o.access.global || len(o.access.keys) > 0 }

// isWide reports whether an op runs a script that uses keys that it does not declare.
func (r *replayer) isWide(o *op) bool {
	if !o.facts.script || len(r.wide) == 0 {
		return false
	}
	for i := range o.steps {
		if r.wide[o.steps[i].script()] {
			return true
		}
	}
	return false
}

// hasRivals reports whether some op may have run before o, although its reply came later, and may
// have changed the reply of o, or o its reply.
func (r *replayer) hasRivals(o *op) bool {
	for _, x := range r.w.arrived {
		if x.sent >= o.replied {
			return false
		}
		if !x.done && x.resolved && overlap(o, x) && r.conflicts(o, x) {
			return true
		}
	}
	return false
}

// search looks for an order of ops in which each has its recorded reply.
type search struct {
	r    *replayer
	t    *trial
	list []*op        // in the preferred order
	firm map[*op]bool // those that must be placed. The others may be: what runs before them can be missing.
	left int          // firm ops that are not placed

	placed  map[*op]bool
	ops     []*op   // those in placed, in order
	found   []found // for each of ops
	deepest []*op   // the longest order so far
	depth   []found
	last    bool // nothing comes behind list
	states  states
	failed  map[[2]uint64][]*op // states from which no order was found, and the ops that were stuck
}

// newSearch returns the search for the order of o, which is next, and of the ops behind it.
func (r *replayer) newSearch(o *op) *search {
	s := &search{
		r:      r,
		firm:   map[*op]bool{},
		placed: map[*op]bool{},
		failed: map[[2]uint64][]*op{},
		states: newStates(),
	}
	var near []*op
	for _, x := range r.w.arrived {
		if len(near) >= 4*searched {
			break
		}
		if !x.done && x.resolved {
			near = append(near, x)
		}
	}
	slices.SortStableFunc(near, byPreference)
	far := near[min(len(near), searched):]
	s.list, s.last = near[:min(len(near), searched)], r.w.over && len(far) == 0
	end, members := int64(0), len(s.list)
	for _, m := range s.list {
		end = max(end, m.replied)
	}
	horizon := r.w.line + 1
	before := map[*client][]*op{} // ops that conflict with none, and run before the next of their client
	cut := map[*client]bool{}     // clients whose next op that conflicts is not in the list
	for _, x := range far {
		switch {
		case !slices.ContainsFunc(s.list[:members], func(m *op) bool { return r.conflicts(m, x) }):
			before[x.c] = append(before[x.c], x)
		case !cut[x.c] && x.sent < end && len(s.list)-members+len(before[x.c]) < overtake:
			s.list = append(append(s.list, before[x.c]...), x)
			delete(before, x.c)
		default:
			cut[x.c] = true
			horizon = min(horizon, x.sent)
		}
	}
	slices.SortStableFunc(s.list, byPreference) // the members stay in front
	for _, m := range s.list[:members] {
		if m == o || m.replied <= horizon {
			s.firm[m] = true
		}
	}
	s.left = len(s.firm)
	return s
}

func byPreference(a, b *op) int { return cmp.Compare(a.prefer, b.prefer) }

// order returns ops to run now, o among them, with their times. If there is no order in which all
// have their recorded replies, these are the ops before the first that has not. It returns nothing
// if o is that op, or if the search took too long.
func (r *replayer) order(o *op) (ops []*op, times []found, err error) {
	s := r.newSearch(o)
	certain := false
	err = r.try(func(t *trial) {
		s.t = t
		certain, _ = s.place(r.now())
	})
	switch {
	case err != nil:
		return nil, nil, err
	case !certain:
		if s.ops, s.found = s.deepest, s.depth; !slices.Contains(s.ops, o) {
			return nil, nil, nil
		}
	}
	// The later half has been tried because its replies show the order of the earlier half.
	half, all := len(s.firm)/2, certain && s.last
	for i, m := range s.ops {
		if !all && half <= 0 && slices.Contains(ops, o) {
			break
		}
		if s.firm[m] {
			half--
		}
		ops, times = append(ops, m), append(times, s.found[i])
	}
	return ops, times, nil
}

// place places a further op, and all others behind it. now is the time of the last one. If it fails
// it returns the ops that could not be placed: an op before them that conflicts with none of them
// is not to blame.
func (s *search) place(now int64) (ok bool, stuck []*op) {
	if s.left == 0 {
		return true, nil
	}
	id := s.states.id()
	if stuck, known := s.failed[id]; known {
		return false, stuck
	}
	defer func() {
		if !ok && len(stuck) > 0 { // not because the search is too long
			s.failed[id] = stuck
		}
	}()
	candidates := s.candidates()
	var choices []choice
	for i, o := range candidates {
		if s.t.runs > s.r.maxRuns() {
			return false, nil
		}
		if !o.tried() {
			f := found{at: max(now, s.r.micros(o.sentAt)), exact: true}
			if i == 0 {
				return s.placeAll(o, f)
			}
			choices = append(choices, choice{o, f})
			continue
		}
		f, ok := s.t.attempt(o, max(now, s.r.micros(o.sentAt)))
		switch {
		case !ok:
		case !f.changed: // it can stand here in any order that it can stand in
			if ok, stuck = s.placeAll(o, f); !ok {
				s.t.back(f.depth)
			}
			return ok, stuck
		default:
			s.t.back(f.depth)
			choices = append(choices, choice{o, f})
		}
	}
	slices.SortStableFunc(choices, func(a, b choice) int { return a.o.blind() - b.o.blind() })
	for _, c := range choices {
		s.t.repeat(c.o, c.f)
		ok, behind := s.placeAll(c.o, c.f)
		if ok {
			return true, nil
		}
		s.t.back(c.f.depth)
		if !slices.ContainsFunc(behind, func(x *op) bool { return s.r.conflicts(c.o, x) }) {
			return false, behind // another op in its place does not help, or the search is too long
		}
		stuck = append(append(stuck, c.o), behind...)
	}
	return false, append(stuck, s.blocked(candidates)...)
}

// choice is an op that may be placed next.
type choice struct {
	o *op
	f found
}

// tried reports whether a trial runs the op. SUBSCRIBE, for example, fits everywhere.
func (o *op) tried() bool { return o.kind == runs && o.skip == "" && o.facts.data }

// blind returns 1 if the reply of an op shows nothing about its place, 2 if the op is not tried,
// else 0.
func (o *op) blind() int {
	if !o.tried() {
		return 2
	}
	for i := range o.steps {
		if w := o.steps[i].want; w != nil && w.raw != "+OK\r\n" {
			return 0
		}
	}
	return 1
}

// placeAll places o, which has been tried, and all others behind it.
func (s *search) placeAll(o *op, f found) (ok bool, stuck []*op) {
	s.push(o, f)
	if ok, stuck = s.place(f.at); !ok {
		s.pop()
	}
	return ok, stuck
}

// candidates returns the ops that may be next.
func (s *search) candidates() (list []*op) {
	limit := int64(-1) // an op that was sent behind this line runs after one that is not placed
	for _, o := range s.list {
		if !s.placed[o] && (limit < 0 || o.replied < limit) {
			limit = o.replied
		}
	}
	for _, o := range s.list {
		if !s.placed[o] && o.sent <= limit && s.isNext(o) {
			list = append(list, o)
		}
	}
	return list
}

// blocked returns those of the candidates, none of which can be placed, that must be placed before
// the search can go on: the one whose reply came first, and those that conflict with it or keep
// such ones from being placed.
func (s *search) blocked(candidates []*op) (list []*op) {
	if len(candidates) == 0 {
		return nil
	}
	list = []*op{
		slices.MinFunc(candidates, func(a, b *op) int { return cmp.Compare(a.replied, b.replied) }),
	}
	for i := 0; i < len(list); i++ {
		for _, x := range s.list {
			if s.placed[x] || !s.r.conflicts(list[i], x) {
				continue
			}
			for _, c := range candidates { // x itself, or what must be placed before it
				if c.c == x.c && !slices.Contains(list, c) {
					list = append(list, c)
				}
			}
		}
	}
	return list
}

// maxRuns returns the number of commands that a search may try. A recording that differs in many
// replies is not worth long searches.
func (r *replayer) maxRuns() int {
	if r.report.Count() > 20 {
		return maxRuns / 20
	}
	return maxRuns
}

func (s *search) push(o *op, f found) {
	s.placed[o] = true
	s.states.push(s.r, o, f.changed)
	s.ops, s.found = append(s.ops, o), append(s.found, f)
	if s.firm[o] {
		s.left--
	}
	if len(s.ops) > len(s.deepest) {
		s.deepest, s.depth = slices.Clone(s.ops), slices.Clone(s.found)
	}
}

func (s *search) pop() {
	last := len(s.ops) - 1
	o := s.ops[last]
	s.ops, s.found = s.ops[:last], s.found[:last]
	delete(s.placed, o)
	s.states.pop()
	if s.firm[o] {
		s.left++
	}
}

// isNext reports whether the members before o on its connection have been placed.
func (s *search) isNext(o *op) bool {
	for _, x := range s.list {
		if x.c == o.c && x.sent < o.sent && !s.placed[x] {
			return false
		}
	}
	return true
}
