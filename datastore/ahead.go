package datastore

import (
	"unsafe"
)

// Want is what a command that will run soon is going to look up.
type Want struct {
	Key     string
	Element string  // a field or member of the key's value; "" for none
	Score   float64 // where a new member of a sorted set will go
	Scored  bool    // Score is known
	Index   int     // of an element of a list; negative from the end
	Indexed bool    // Index is known
	ID      StreamID
	From    bool // ID, from which on entries of a stream will be read, is known

	obj   Object
	table foreseen // that of obj; nil when there is nothing to read ahead
}

const (
	// aheadMin is the number of elements from which a table is read ahead: about those that fill a processor's own cache.
	aheadMin = 1 << 14
	// aheadNodes is the number of nodes from which a list or a stream is read ahead.
	aheadNodes = 1 << 8
	// aheadBatch is how many wants are looked up side by side.
	aheadBatch = 128
)

// aheadRoom is what reading ahead works with. It holds on to nothing between the calls.
type aheadRoom struct {
	texts [aheadBatch]string // what is looked up, then the keys of the elements found
	found [aheadBatch]int32  // their positions
	ways  [aheadBatch]descent
	sum   int // of what was read
}

// Large reports whether ReadAhead can help: some table of the store is, or has been, larger than the processor's caches.
func (s *Store) Large() bool { return s.large }

// mayBeLarge is told by values that grow.
func (s *Store) mayBeLarge(yes bool) {
	if yes {
		s.large = true
	}
}

// ReadAhead reads what wants ask for, so that the commands find it in the processor's caches. It changes nothing but wants.
//
// In a large table a lookup waits for memory three or four times, each time for what the one before has found: the slot
// of the index, the element, the bytes of its key, the value. Here each of these steps is done for many lookups before
// the next, and the processor waits for all of them at once.
func (db *DB) ReadAhead(wants []Want) {
	for ; len(wants) > aheadBatch; wants = wants[aheadBatch:] {
		db.readAhead(wants[:aheadBatch])
	}
	db.readAhead(wants)
}

func (db *DB) readAhead(wants []Want) {
	room := &db.store.ahead
	n := db.foresee(wants, room)
	for i := range wants {
		w := &wants[i]
		if w.Element != "" {
			w.table = tableOf(w.obj)
		}
	}
	for i := range wants {
		if t := wants[i].table; t != nil {
			n += room.foreseeIn(t, wants[i:])
		}
	}
	n += foreseeNodes(wants)
	clear(room.texts[:len(wants)])
	room.sum += n
}

// foresee gives each want the value of its key. What it returns means nothing, but the processor must read for it.
func (db *DB) foresee(wants []Want, room *aheadRoom) (n int) {
	if db.keys.Len() < aheadMin {
		for i := range wants {
			w := &wants[i]
			if i > 0 && w.Key == wants[i-1].Key {
				w.obj = wants[i-1].obj
			} else if e, ok := db.keys.Get(w.Key); ok {
				w.obj = e.obj
			}
		}
		return 0
	}
	for i := range wants {
		room.texts[i] = wants[i].Key
	}
	n = db.keys.foresee(room.texts[:len(wants)], &room.found)
	for i := range wants {
		if at := room.found[i]; at >= 0 {
			wants[i].obj = (*db.keys.at(int(at))).obj
		}
	}
	for i := range wants {
		if s, ok := wants[i].obj.(*String); ok && s.text != "" {
			n += int(s.text[0])
		}
	}
	return n
}

// foreseen is the table of a value.
type foreseen interface {
	foresee(keys []string, found *[aheadBatch]int32) int
}

// foreseeIn looks up the elements that wants ask of t, all that want t. What it returns is as that of foresee.
func (r *aheadRoom) foreseeIn(t foreseen, wants []Want) int {
	var which [aheadBatch]uint8
	k := 0
	for i := range wants {
		if w := &wants[i]; w.table == t {
			r.texts[k], which[k] = w.Element, uint8(i)
			k++
		}
	}
	n := t.foresee(r.texts[:k], &r.found)
	ways := r.ways[:0]
	for j := range k {
		w := &wants[which[j]]
		w.table = nil
		at := int(r.found[j])
		switch o := w.obj.(type) {
		case *Hash:
			if at >= 0 {
				if _, v := o.dict.At(at); v != "" {
					n += int(v[0])
				}
			}
		case *ZSet:
			if at >= 0 {
				_, w.Score = o.dict.At(at)
			}
			if (at >= 0 || w.Scored) && o.tree.height > 2 {
				ways = append(ways, o.tree.beginDescent(w.Score, at < 0))
			}
		}
	}
	n += descend(ways)
	clear(ways)
	return n
}

// tableOf is the table of a value that is worth reading ahead, or nil.
func tableOf(o Object) foreseen {
	switch o := o.(type) {
	case *Hash:
		if o.dict != nil && o.dict.Len() >= aheadMin {
			return o.dict
		}
	case *Set:
		if o.dict != nil && o.dict.Len() >= aheadMin {
			return o.dict
		}
	case *ZSet:
		if o.dict != nil && o.dict.Len() >= aheadMin {
			return o.dict
		}
	}
	return nil
}

// foresee finds the positions of keys, -1 for those that are missing, step by step for all of them. It takes the
// first element with a key's hash, which is likely the one. What it returns is as that of [DB.foresee].
func (t *table[E]) foresee(keys []string, found *[aheadBatch]int32) (n int) {
	var hashes [aheadBatch]uint32
	mask, index := uint32(len(t.index)-1), t.index
	for i, k := range keys {
		hashes[i&(aheadBatch-1)] = t.hash(k)
	}
	for _, h := range hashes[:len(keys)] {
		n += int(index[h&mask])
	}
	for i := range keys {
		h := hashes[i&(aheadBatch-1)]
		at := int32(-1)
		for j := h & mask; index[j] != 0; j = (j + 1) & mask {
			if s := index[j]; uint32(s>>32) == h {
				at = int32(uint32(s)) - 1
				break
			}
		}
		found[i&(aheadBatch-1)] = at
	}
	var at [aheadBatch]*E
	for i := range keys {
		if p := found[i&(aheadBatch-1)]; p >= 0 {
			at[i&(aheadBatch-1)] = t.at(int(p))
		}
	}
	for _, e := range at[:len(keys)] {
		if e != nil {
			n += int(*(*byte)(unsafe.Pointer(e)))
		}
	}
	for i, e := range at[:len(keys)] {
		if e != nil {
			keys[i] = t.keyOf(e)
		}
	}
	for i, k := range keys {
		if found[i&(aheadBatch-1)] >= 0 && k != "" {
			n += int(k[0]) + int(k[len(k)-1])
		}
	}
	return n
}
