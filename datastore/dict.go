package datastore

import (
	"fmt"
	"hash/maphash"
	"math/bits"
	"math/rand/v2"
)

// Dict is a hash table from string to V with three properties that Go's map lacks:
// a cursor that survives changes ([Dict.Scan]), a uniformly random element in O(1)
// ([Dict.Random]) and insertion order while nothing has been deleted ([Dict.At]).
//
// The elements lie in chunks, densely; an open-addressing index of (hash, position) pairs
// finds them. Deleting moves the last element into the hole.
//
// The zero Dict is not ready; use newDict.
type Dict[V any] struct {
	seed   maphash.Seed
	index  []uint64 // hash<<32 | position+1; 0 is free. len is a power of two, or 0
	chunks [][]dictEntry[V]
	n      int
}

type dictEntry[V any] struct {
	key  string
	hash uint32
	val  V
}

const (
	chunkBits = 9
	chunkSize = 1 << chunkBits
	chunkMask = chunkSize - 1
	minIndex  = 8
)

// newDict returns an empty table that hashes with seed.
func newDict[V any](seed maphash.Seed) *Dict[V] { return &Dict[V]{seed: seed} }

// Len is the number of elements.
func (d *Dict[V]) Len() int { return d.n }

func (d *Dict[V]) hash(key string) uint32 { return uint32(maphash.String(d.seed, key)) }

func (d *Dict[V]) at(i int) *dictEntry[V] { return &d.chunks[i>>chunkBits][i&chunkMask] }

// slot returns the index slot of key, or -1.
func (d *Dict[V]) slot(key string, h uint32) int {
	if len(d.index) == 0 {
		return -1
	}
	mask := uint32(len(d.index) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		s := d.index[i]
		if s == 0 {
			return -1
		}
		if uint32(s>>32) == h && d.at(int(uint32(s))-1).key == key {
			return int(i)
		}
	}
}

// Get returns the value of key.
func (d *Dict[V]) Get(key string) (v V, ok bool) {
	if p := d.Ref(key); p != nil {
		return *p, true
	}
	return v, false
}

// Ref returns a pointer to the value of key, or nil. It is good until the next change of the table.
func (d *Dict[V]) Ref(key string) *V {
	if d.n == 0 {
		return nil
	}
	s := d.slot(key, d.hash(key))
	if s < 0 {
		return nil
	}
	return &d.at(int(uint32(d.index[s])) - 1).val
}

// Has reports whether key is in the table.
func (d *Dict[V]) Has(key string) bool { return d.Ref(key) != nil }

// Set gives key the value v and reports whether key is new.
func (d *Dict[V]) Set(key string, v V) (added bool) {
	p, added := d.Put(key)
	*p = v
	return added
}

// Put returns a pointer to the value of key, adding key with a zero value where it is missing.
func (d *Dict[V]) Put(key string) (p *V, added bool) {
	h := d.hash(key)
	if s := d.slot(key, h); s >= 0 {
		return &d.at(int(uint32(d.index[s])) - 1).val, false
	}
	if (d.n+1)*4 > len(d.index)*3 {
		d.resize(max(minIndex, len(d.index)*2))
	}
	c := d.n >> chunkBits
	if c == len(d.chunks) {
		d.addChunk()
	}
	d.chunks[c] = append(d.chunks[c], dictEntry[V]{key: key, hash: h})
	d.insertIndex(h, d.n)
	d.n++
	return &d.at(d.n - 1).val, true
}

// addChunk makes room behind the last chunk. It takes the chunk that Delete has left there, if any.
func (d *Dict[V]) addChunk() {
	c := len(d.chunks)
	if c < cap(d.chunks) && d.chunks[:c+1][c] != nil {
		d.chunks = d.chunks[:c+1]
		return
	}
	size := chunkSize
	if c == 0 {
		size = 4
	}
	d.chunks = append(d.chunks, make([]dictEntry[V], 0, size))
}

func (d *Dict[V]) insertIndex(h uint32, pos int) {
	mask := uint32(len(d.index) - 1)
	i := h & mask
	for d.index[i] != 0 {
		i = (i + 1) & mask
	}
	d.index[i] = uint64(h)<<32 | uint64(pos+1)
}

// resize makes the index anew. It goes through the old index, not through the elements: neighbours there
// stay neighbours, so that the pass over a large table runs in memory order.
func (d *Dict[V]) resize(size int) {
	old := d.index
	d.index = make([]uint64, size)
	for _, s := range old {
		if s != 0 {
			d.insertIndex(uint32(s>>32), int(uint32(s))-1)
		}
	}
}

// Delete removes key and returns what it held.
func (d *Dict[V]) Delete(key string) (v V, ok bool) {
	v, _, ok = d.remove(key)
	return v, ok
}

// remove is Delete that also returns the position that key had, for insertAt.
func (d *Dict[V]) remove(key string) (v V, pos int, ok bool) {
	if d.n == 0 {
		return v, 0, false
	}
	s := d.slot(key, d.hash(key))
	if s < 0 {
		return v, 0, false
	}
	pos = int(uint32(d.index[s])) - 1
	v = d.at(pos).val
	d.freeSlot(uint32(s))
	last := d.n - 1
	if pos != last {
		*d.at(pos) = *d.at(last)
		d.reindex(d.at(pos).hash, last, pos)
	}
	*d.at(last) = dictEntry[V]{}
	d.n--
	d.cutChunk()
	if len(d.index) > minIndex && d.n*10 < len(d.index) {
		d.resize(max(minIndex, 1<<bits.Len(uint(d.n*2))))
	}
	return v, pos, true
}

// cutChunk shortens the last chunk by the element that is gone. An empty chunk stays as a spare for
// addChunk, but only one, so that a table that goes to and fro over the border does not allocate.
func (d *Dict[V]) cutChunk() {
	c := d.n >> chunkBits
	d.chunks[c] = d.chunks[c][:d.n&chunkMask]
	if d.n&chunkMask != 0 {
		return
	}
	if c+1 < cap(d.chunks) {
		d.chunks[:c+2][c+1] = nil
	}
	d.chunks = d.chunks[:c]
}

// reindex makes the index slot of the element with that hash at position from say position to.
func (d *Dict[V]) reindex(hash uint32, from, to int) {
	mask := uint32(len(d.index) - 1)
	i := hash & mask
	for uint32(d.index[i]) != uint32(from+1) {
		i = (i + 1) & mask
	}
	d.index[i] = uint64(hash)<<32 | uint64(to+1)
}

// insertAt undoes a remove: key comes back at pos, and the element there goes back to the end.
// Caller must have brought the table to the state that remove left.
func (d *Dict[V]) insertAt(key string, v V, pos int) {
	d.Set(key, v)
	last := d.n - 1
	if pos == last {
		return
	}
	a, b := d.at(pos), d.at(last)
	d.reindex(a.hash, pos, d.n) // a place that no element has, while both move
	d.reindex(b.hash, last, pos)
	d.reindex(a.hash, d.n, last)
	*a, *b = *b, *a
}

// freeSlot empties slot i and shifts later slots of the same run back, so that a
// run from an element's home slot to the element never has a gap.
func (d *Dict[V]) freeSlot(i uint32) {
	mask := uint32(len(d.index) - 1)
	j := i
	for {
		j = (j + 1) & mask
		s := d.index[j]
		if s == 0 {
			break
		}
		home := uint32(s>>32) & mask
		if (j-home)&mask >= (j-i)&mask {
			d.index[i] = s
			i = j
		}
	}
	d.index[i] = 0
}

// At returns the element at position i, 0 <= i < Len. Positions are insertion order
// until an element is deleted.
func (d *Dict[V]) At(i int) (key string, v V) {
	e := d.at(i)
	return e.key, e.val
}

// Random returns a uniformly chosen element. Caller must know that the table is not empty.
func (d *Dict[V]) Random(r *rand.Rand) (key string, v V) { return d.At(r.IntN(d.n)) }

// All calls f for each element until f returns false. f must not change the table.
func (d *Dict[V]) All(f func(key string, v V) bool) {
	for _, c := range d.chunks {
		for i := range c {
			if !f(c[i].key, c[i].val) {
				return
			}
		}
	}
}

// Clear removes every element.
func (d *Dict[V]) Clear() { *d = Dict[V]{seed: d.seed} }

// Scan calls f for the elements of one bucket and returns the next cursor, 0 at the
// end. An element that is in the table from the first call (cursor 0) to the last is
// passed to f at least once, however the table changes between the calls; it may be passed
// more than once. f must not change the table.
//
// The cursor counts the bits of the bucket number from the highest downwards, so that the buckets
// already seen stay seen when the index doubles or halves (the order that Redis uses for SCAN).
func (d *Dict[V]) Scan(cursor uint64, f func(key string, v V)) uint64 {
	if d.n == 0 {
		return 0
	}
	mask := uint32(len(d.index) - 1)
	home := uint32(cursor) & mask
	for i := home; d.index[i] != 0; i = (i + 1) & mask {
		s := d.index[i]
		if uint32(s>>32)&mask == home {
			e := d.at(int(uint32(s)) - 1)
			f(e.key, e.val)
		}
	}
	cursor |= ^uint64(mask)
	cursor = bits.Reverse64(cursor) + 1
	return bits.Reverse64(cursor)
}

// check verifies the table's invariants.
func (d *Dict[V]) check() error {
	if d.n*4 > len(d.index)*3 {
		return fmt.Errorf("dict: %d elements in an index of %d", d.n, len(d.index))
	}
	used := 0
	for _, s := range d.index {
		if s != 0 {
			used++
		}
	}
	if used != d.n {
		return fmt.Errorf("dict: %d slots used for %d elements", used, d.n)
	}
	for i := range d.n {
		e := d.at(i)
		s := d.slot(e.key, d.hash(e.key))
		if s < 0 || int(uint32(d.index[s]))-1 != i {
			return fmt.Errorf("dict: element %q at %d is not found", e.key, i)
		}
	}
	return nil
}
