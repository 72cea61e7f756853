package replay

// states identifies the states of a keyspace in which a search has been. Two orders of the same ops
// with the same ID leave the same keyspace. The ID of a key changes with each op that changes it,
// and does not depend on earlier ops if the op replaces the value: so of eight SETs only the last
// one counts.
type states struct {
	keys   map[use]uint64 // IDs of the values of keys; 0: as at the start of the search
	ops    map[*op]uint64 // IDs of ops
	placed uint64         // of the set of ops that have run
	values uint64         // of all keys together
	all    uint64         // changes with each op that may change any key
	undo   []func()
}

func newStates() states { return states{keys: map[use]uint64{}, ops: map[*op]uint64{}} }

// mix returns a number that depends on a and b, and not on their sum.
func mix(a, b uint64) uint64 {
	h := a*0x9e3779b97f4a7c15 + b
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	h ^= h >> 32
	return h
}

func (s *states) id() [2]uint64 { return [2]uint64{s.placed, mix(s.values, s.all)} }

func (s *states) opID(o *op) uint64 {
	id, ok := s.ops[o]
	if !ok {
		id = mix(uint64(len(s.ops)+1), 1)
		s.ops[o] = id
	}
	return id
}

// push notes that an op has run.
func (s *states) push(r *replayer, o *op, changed bool) {
	id := s.opID(o)
	before := *s
	s.placed ^= id
	if !changed {
		s.undo = append(before.undo, func() { s.placed = before.placed })
		return
	}
	var old []uint64
	value := id
	if !o.access.replaces {
		for _, u := range o.access.keys {
			value = mix(value, s.keys[plainUse(u)])
		}
		value = mix(value, s.all)
	}
	if o.access.global || r.isWide(o) {
		s.all = mix(value, mix(s.values, s.all))
	}
	for i, u := range o.access.keys {
		k := plainUse(u)
		old = append(old, s.keys[k])
		if u.writes {
			s.values ^= mix(s.keyID(k), s.keys[k])
			s.keys[k] = mix(value, uint64(i))
			s.values ^= mix(s.keyID(k), s.keys[k])
		}
	}
	s.undo = append(before.undo, func() {
		for i := len(old) - 1; i >= 0; i-- {
			s.keys[plainUse(o.access.keys[i])] = old[i]
		}
		s.placed, s.values, s.all = before.placed, before.values, before.all
	})
}

func plainUse(u use) use { return use{db: u.db, key: u.key} }

// keyID returns a number for a key.
func (s *states) keyID(u use) uint64 {
	h := uint64(u.db) + 1
	for i := 0; i < len(u.key); i++ {
		h = mix(h, uint64(u.key[i]))
	}
	return h
}

// pop undoes the last push.
func (s *states) pop() {
	last := len(s.undo) - 1
	f := s.undo[last]
	s.undo = s.undo[:last]
	f()
}
