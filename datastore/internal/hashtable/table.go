package hashtable

import (
	"fmt"
	"hash/maphash"
	"math/bits"
	"slices"
	"unsafe"
)

// Table is a hash table of elements that know their own keys, with three properties that Go's map
// lacks: a cursor that survives changes (Scan), a uniformly random element in O(1) (a random place)
// and insertion order while nothing has been deleted (At).
//
// The elements are stored in chunks, without gaps; an open-addressing index of (hash, position)
// pairs finds them. Deleting moves the last element into the gap.
//
// Make it with [New].
type Table[E any] struct {
	seed   maphash.Seed
	keyOf  func(*E) string
	index  []uint64 // hash<<32 | position+1; 0 is free. len is a power of two, or 0
	chunks [][]E
	n      int
	large  *bool // set when the table becomes large enough for Prefetch; may be nil
}

const (
	chunkBits = 9
	chunkSize = 1 << chunkBits
	chunkMask = chunkSize - 1
	minIndex  = 8
)

// New returns an empty table that hashes with seed. keyOf returns the key of an element. *large, if
// large is not nil, is set when the table becomes large enough for [Table.Prefetch].
func New[E any](seed maphash.Seed, keyOf func(*E) string, large *bool) Table[E] {
	return Table[E]{seed: seed, keyOf: keyOf, large: large}
}

// Len is the number of elements.
func (t *Table[E]) Len() int { return t.n }

func (t *Table[E]) hash(key string) uint32 { return uint32(maphash.String(t.seed, key)) }

// At returns the element at position i, 0 <= i < Len. The pointer is valid until the table changes.
func (t *Table[E]) At(i int) *E { return &t.chunks[i>>chunkBits][i&chunkMask] }

// slot returns the index slot of key, or -1.
func (t *Table[E]) slot(key string, h uint32) int {
	if len(t.index) == 0 {
		return -1
	}
	mask := uint32(len(t.index) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		s := t.index[i]
		if s == 0 {
			return -1
		}
		if uint32(s>>32) == h && t.keyOf(t.At(int(uint32(s))-1)) == key {
			return int(i)
		}
	}
}

// Find returns the element of key, or nil. The pointer is valid until the table changes.
func (t *Table[E]) Find(key string) *E {
	if t.n == 0 {
		return nil
	}
	s := t.slot(key, t.hash(key))
	if s < 0 {
		return nil
	}
	return t.At(int(uint32(t.index[s])) - 1)
}

// Position returns the position of key, or -1.
func (t *Table[E]) Position(key string) int {
	if t.n == 0 {
		return -1
	}
	s := t.slot(key, t.hash(key))
	if s < 0 {
		return -1
	}
	return int(uint32(t.index[s])) - 1
}

// Has reports whether key is in the table.
func (t *Table[E]) Has(key string) bool { return t.Find(key) != nil }

// Put returns the element of key. If key is missing, it adds a zero element; the caller must then
// set the key of the element before it uses the table again.
func (t *Table[E]) Put(key string) (e *E, added bool) {
	h := t.hash(key)
	if s := t.slot(key, h); s >= 0 {
		return t.At(int(uint32(t.index[s])) - 1), false
	}
	if (t.n+1)*4 > len(t.index)*3 {
		t.resize(max(minIndex, len(t.index)*2))
	}
	c := t.n >> chunkBits
	if c == len(t.chunks) {
		t.addChunk()
	}
	var zero E
	t.chunks[c] = append(t.chunks[c], zero)
	t.insertIndex(h, t.n)
	t.n++
	return t.At(t.n - 1), true
}

// addChunk adds a chunk. It reuses the one that cutChunk has left there, if any.
func (t *Table[E]) addChunk() {
	c := len(t.chunks)
	if c < cap(t.chunks) && t.chunks[:c+1][c] != nil {
		t.chunks = t.chunks[:c+1]
		return
	}
	size := chunkSize
	if c == 0 {
		size = 4
	}
	t.chunks = append(t.chunks, make([]E, 0, size))
}

func (t *Table[E]) insertIndex(h uint32, pos int) {
	mask := uint32(len(t.index) - 1)
	i := h & mask
	for t.index[i] != 0 {
		i = (i + 1) & mask
	}
	t.index[i] = uint64(h)<<32 | uint64(pos+1)
}

// resize builds a new index. It reads the old index, not the elements: neighbours stay neighbours,
// so that resizing a large table accesses memory in order.
func (t *Table[E]) resize(size int) {
	old := t.index
	t.index = make([]uint64, size)
	if size > Large && t.large != nil {
		*t.large = true
	}
	for _, s := range old {
		if s != 0 {
			t.insertIndex(uint32(s>>32), int(uint32(s))-1)
		}
	}
}

// Remove removes key and returns its element and old position, for insertAt.
func (t *Table[E]) Remove(key string) (e E, pos int, ok bool) {
	if t.n == 0 {
		return e, 0, false
	}
	s := t.slot(key, t.hash(key))
	if s < 0 {
		return e, 0, false
	}
	pos = int(uint32(t.index[s])) - 1
	e = *t.At(pos)
	t.freeSlot(uint32(s))
	last := t.n - 1
	if pos != last {
		*t.At(pos) = *t.At(last)
		t.reindex(t.hash(t.keyOf(t.At(pos))), last, pos)
	}
	var zero E
	*t.At(last) = zero
	t.n--
	t.cutChunk()
	if len(t.index) > minIndex && t.n*10 < len(t.index) {
		t.resize(max(minIndex, 1<<bits.Len(uint(t.n*2))))
	}
	return e, pos, true
}

// cutChunk removes the last element from the last chunk. One empty chunk stays as a spare for
// addChunk, so that a table whose size oscillates around a chunk boundary does not allocate.
func (t *Table[E]) cutChunk() {
	c := t.n >> chunkBits
	t.chunks[c] = t.chunks[c][:t.n&chunkMask]
	if t.n&chunkMask != 0 {
		return
	}
	if c+1 < cap(t.chunks) {
		t.chunks[:c+2][c+1] = nil
	}
	t.chunks = t.chunks[:c]
}

// reindex changes the position in the index slot of the element with that hash from from to to.
func (t *Table[E]) reindex(hash uint32, from, to int) {
	mask := uint32(len(t.index) - 1)
	i := hash & mask
	for uint32(t.index[i]) != uint32(from+1) {
		i = (i + 1) & mask
	}
	t.index[i] = uint64(hash)<<32 | uint64(to+1)
}

// InsertAt undoes a remove: it puts e back at pos, and moves the element there back to the end. The
// table must be in the state that remove left.
func (t *Table[E]) InsertAt(e E, pos int) {
	key := t.keyOf(&e)
	p, _ := t.Put(key)
	*p = e
	last := t.n - 1
	if pos == last {
		return
	}
	a, b := t.At(pos), t.At(last)
	ha, hb := t.hash(t.keyOf(a)), t.hash(key)
	t.reindex(ha, pos, t.n) // a position that no element has, while both move
	t.reindex(hb, last, pos)
	t.reindex(ha, t.n, last)
	*a, *b = *b, *a
}

// freeSlot empties slot i and shifts later slots of the same run back, so that a
// run from an element's home slot to the element never has a gap.
func (t *Table[E]) freeSlot(i uint32) {
	mask := uint32(len(t.index) - 1)
	j := i
	for {
		j = (j + 1) & mask
		s := t.index[j]
		if s == 0 {
			break
		}
		home := uint32(s>>32) & mask
		if (j-home)&mask >= (j-i)&mask {
			t.index[i] = s
			i = j
		}
	}
	t.index[i] = 0
}

// All calls f for each element until f returns false. f must not change the table.
func (t *Table[E]) All(f func(*E) bool) {
	for _, c := range t.chunks {
		for i := range c {
			if !f(&c[i]) {
				return
			}
		}
	}
}

// Scan calls f for the elements of one bucket and returns the next cursor, 0 at the
// end. An element that is in the table from the first call (cursor 0) to the last is
// passed to f at least once, however the table changes between the calls; it may be passed
// more than once. f must not change the table.
//
// The cursor increments the bucket number with its bits reversed, as Redis's SCAN does, so that no
// bucket is missed when the size of the index changes by a power of two.
func (t *Table[E]) Scan(cursor uint64, f func(*E)) uint64 {
	if t.n == 0 {
		return 0
	}
	mask := uint32(len(t.index) - 1)
	home := uint32(cursor) & mask
	for i := home; t.index[i] != 0; i = (i + 1) & mask {
		s := t.index[i]
		if uint32(s>>32)&mask == home {
			f(t.At(int(uint32(s)) - 1))
		}
	}
	cursor |= ^uint64(mask)
	cursor = bits.Reverse64(cursor) + 1
	return bits.Reverse64(cursor)
}

// Check verifies the table's invariants.
func (t *Table[E]) Check() error {
	if t.n*4 > len(t.index)*3 {
		return fmt.Errorf("dict: %d elements in an index of %d", t.n, len(t.index))
	}
	used := 0
	for _, s := range t.index {
		if s != 0 {
			used++
		}
	}
	if used != t.n {
		return fmt.Errorf("dict: %d slots used for %d elements", used, t.n)
	}
	for i := range t.n {
		key := t.keyOf(t.At(i))
		s := t.slot(key, t.hash(key))
		if s < 0 || int(uint32(t.index[s]))-1 != i {
			return fmt.Errorf("dict: element %q at %d is not found", key, i)
		}
	}
	return nil
}

// SaveIndex returns a function that restores the index, once all elements are at their positions
// again.
func (t *Table[E]) SaveIndex() (restore func()) {
	index := slices.Clone(t.index)
	return func() { t.index = append([]uint64(nil), index...) }
}

// Bytes is the size of a table without the strings in it.
func (t *Table[E]) Bytes() int {
	var e E
	n := int(unsafe.Sizeof(*t)) + 8*len(t.index) + 24*cap(t.chunks)
	if len(t.chunks) > 0 {
		n += (cap(t.chunks[0]) + (len(t.chunks)-1)*chunkSize) * int(unsafe.Sizeof(e))
	}
	return n
}

// Index returns the slots of the index: hash<<32 | position+1, or 0 if free. The caller must not
// change it.
func (t *Table[E]) Index() []uint64 { return t.index }

// CopyIndex gives t the index of from, whose elements t has at the same positions.
func (t *Table[E]) CopyIndex(from *Table[E]) { t.index = slices.Clone(from.index) }

// Hashes returns the hashes of all elements.
func (t *Table[E]) Hashes() []uint32 {
	hashes := make([]uint32, 0, t.n)
	for _, slot := range t.index {
		if slot != 0 {
			hashes = append(hashes, uint32(slot>>32))
		}
	}
	return hashes
}
