package replay

// How a search recognizes a keyspace from which it has found no order.

// states identifies the states of a keyspace in which a search has been. Two orders of the same
// operations with the same ID leave the same keyspace. The ID of a key changes with each operation
// that changes it, and does not depend on earlier operations if the operation replaces the value:
// so of eight SETs only the last one counts.
type states struct {
	keys   map[keyUse]uint64     // IDs of the values of keys; 0: as at the start of the search
	ids    map[*operation]uint64 // IDs of operations
	placed uint64                // of the set of operations that have run
	values uint64                // of all keys together
	all    uint64                // changes with each operation that may change any key
	undo   []func()
}

// newStates returns the state at the start of a search.
func newStates() states { return states{keys: map[keyUse]uint64{}, ids: map[*operation]uint64{}} }

// mix returns a number that depends on a and b, and not on their sum.
func mix(a, b uint64) uint64 {
	h := a*0x9e3779b97f4a7c15 + b
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	h ^= h >> 32
	return h
}

// id identifies the present state.
func (s *states) id() [2]uint64 { return [2]uint64{s.placed, mix(s.values, s.all)} }

// operationID returns a number for an operation.
func (s *states) operationID(o *operation) uint64 {
	id, ok := s.ids[o]
	if !ok {
		id = mix(uint64(len(s.ids)+1), 1)
		s.ids[o] = id
	}
	return id
}

// push notes that an operation has run.
func (s *states) push(r *replayer, o *operation, changed bool) {
	id := s.operationID(o)
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
			value = mix(value, s.keys[withoutWrites(u)])
		}
		value = mix(value, s.all)
	}
	if o.access.global || r.usesUndeclaredKeys(o) {
		s.all = mix(value, mix(s.values, s.all))
	}
	for i, u := range o.access.keys {
		k := withoutWrites(u)
		old = append(old, s.keys[k])
		if u.writes {
			s.values ^= mix(s.keyID(k), s.keys[k])
			s.keys[k] = mix(value, uint64(i))
			s.values ^= mix(s.keyID(k), s.keys[k])
		}
	}
	s.undo = append(before.undo, func() {
		for i := len(old) - 1; i >= 0; i-- {
			s.keys[withoutWrites(o.access.keys[i])] = old[i]
		}
		s.placed, s.values, s.all = before.placed, before.values, before.all
	})
}

// withoutWrites returns a use as a key of maps.
func withoutWrites(u keyUse) keyUse { return keyUse{db: u.db, key: u.key} }

// keyID returns a number for a key.
func (s *states) keyID(u keyUse) uint64 {
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
