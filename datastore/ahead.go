package datastore

import (
	"github.com/redmoon-lua/redmoon/datastore/internal/hashtable"
	"github.com/redmoon-lua/redmoon/datastore/internal/ztree"
)

// FutureLookup is a lookup that a command will make soon, for [DB.ReadAhead].
type FutureLookup struct {
	Key     string
	Element string  // a field or member of the key's value; "" for none
	Score   float64 // the score that the member of a sorted set will get
	Scored  bool    // Score is known
	Index   int     // index of an element of a list; negative from the end
	Indexed bool    // Index is known
	ID      StreamID
	From    bool // entries of a stream will be read from ID on

	obj   Object
	table prefetchable // the hash table of obj; nil if there is nothing to prefetch in it
}

const (
	// aheadMin is the number of elements from which a hash table is prefetched: about what fills
	// the cache of a core.
	aheadMin = hashtable.Large
	// aheadNodes is the number of nodes from which a list or a stream is prefetched.
	aheadNodes = 1 << 8
	// aheadBatch is the number of lookups that are prefetched together.
	aheadBatch = hashtable.Batch
)

// aheadBuffers are the work buffers of ReadAhead. Between calls they hold no pointers to values.
type aheadBuffers struct {
	texts [aheadBatch]string // the keys to look up, then the keys of the elements found
	found [aheadBatch]int32  // positions of the elements
	ways  [aheadBatch]ztree.Descent
	sum   int // sum of what was read, so that the reads are not optimized away
}

// Large reports whether ReadAhead can help: whether some value of the store is, or has been, larger
// than the processor's caches.
func (s *Store) Large() bool { return s.large }

// mayBeLarge is called by values that grow; it sets Large if yes is true.
func (s *Store) mayBeLarge(yes bool) {
	if yes {
		s.large = true
	}
}

// ReadAhead prefetches what the lookups will read into the processor's caches. It changes nothing
// except lookups.
//
// In a large table a lookup has three or four cache misses, each of which depends on the one
// before: the slot of the index, the element, the bytes of its key, the value. ReadAhead makes each
// of these steps for many lookups before the next step, so that the cache misses of a step overlap.
func (db *DB) ReadAhead(lookups []FutureLookup) {
	for ; len(lookups) > aheadBatch; lookups = lookups[aheadBatch:] {
		db.readAhead(lookups[:aheadBatch])
	}
	db.readAhead(lookups)
}

func (db *DB) readAhead(lookups []FutureLookup) {
	room := db.store.ahead
	if room == nil {
		room = new(aheadBuffers)
		db.store.ahead = room
	}
	n := db.prefetch(lookups, room)
	for i := range lookups {
		l := &lookups[i]
		if l.Element != "" {
			l.table = tableOf(l.obj)
		}
	}
	for i := range lookups {
		if t := lookups[i].table; t != nil {
			n += room.prefetchIn(t, lookups[i:])
		}
	}
	n += prefetchNodes(lookups)
	clear(room.texts[:len(lookups)])
	room.sum += n
}

// prefetch finds the value of the key of each lookup. The number that it returns has no meaning; it
// keeps the reads from being optimized away.
func (db *DB) prefetch(lookups []FutureLookup, room *aheadBuffers) (n int) {
	if db.keys.Len() < aheadMin {
		for i := range lookups {
			l := &lookups[i]
			if i > 0 && l.Key == lookups[i-1].Key {
				l.obj = lookups[i-1].obj
			} else if e, ok := db.keys.Get(l.Key); ok {
				l.obj = e.obj
			}
		}
		return 0
	}
	for i := range lookups {
		room.texts[i] = lookups[i].Key
	}
	n = db.keys.Prefetch(room.texts[:len(lookups)], &room.found)
	for i := range lookups {
		if at := room.found[i]; at >= 0 {
			lookups[i].obj = (*db.keys.At(int(at))).obj
		}
	}
	for i := range lookups {
		if s, ok := lookups[i].obj.(*String); ok && s.text != "" {
			n += int(s.text[0])
		}
	}
	return n
}

// prefetchable is the hash table of a value.
type prefetchable interface {
	Prefetch(keys []string, found *[hashtable.Batch]int32) int
}

// prefetchIn prefetches the elements of all lookups whose table is t. For its result see
// [DB.prefetch].
func (r *aheadBuffers) prefetchIn(t prefetchable, lookups []FutureLookup) int {
	var which [aheadBatch]uint8
	k := 0
	for i := range lookups {
		if l := &lookups[i]; l.table == t {
			r.texts[k], which[k] = l.Element, uint8(i)
			k++
		}
	}
	n := t.Prefetch(r.texts[:k], &r.found)
	ways := r.ways[:0]
	for j := range k {
		l := &lookups[which[j]]
		l.table = nil
		at := int(r.found[j])
		switch o := l.obj.(type) {
		case *Hash:
			if at >= 0 {
				if _, v := o.dict.At(at); v != "" {
					n += int(v[0])
				}
			}
		case *ZSet:
			if at >= 0 {
				_, l.Score = o.dict.At(at)
			}
			if (at >= 0 || l.Scored) && o.tree.Height() > 2 {
				ways = append(ways, o.tree.BeginDescent(l.Score, at < 0))
			}
		}
	}
	n += ztree.PrefetchAll(ways)
	clear(ways)
	return n
}

// tableOf returns the hash table of a value if it is large enough to be prefetched, otherwise nil.
func tableOf(o Object) prefetchable {
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
