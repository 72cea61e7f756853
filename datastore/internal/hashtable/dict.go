package hashtable

import (
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"slices"

	"github.com/redmoon-lua/redmoon/datastore/internal/sizeclass"
)

// Dict is a hash table from string to V with three properties that Go's map lacks:
// a cursor that survives changes ([Dict.Scan]), a uniformly random element in O(1)
// ([Dict.Random]) and insertion order while nothing has been deleted ([Dict.At]).
//
// The zero Dict is not ready; use NewDict.
type Dict[V any] struct {
	Table[dictEntry[V]]
	// bytes of the keys and, if the owner of the table counts them, of values that are strings
	Texts int
}

// v comes first, so that a value of size zero takes no space.
type dictEntry[V any] struct {
	val V
	key string
}

// NewDict returns an empty table that hashes with seed. For large see [New].
func NewDict[V any](seed maphash.Seed, large *bool) *Dict[V] {
	return &Dict[V]{Table: New(seed, func(e *dictEntry[V]) string { return e.key }, large)}
}

// Clone returns a copy of d with the same positions and the same index.
func (d *Dict[V]) Clone(large *bool) *Dict[V] {
	c := NewDict[V](d.seed, large)
	c.n, c.Texts, c.index = d.n, d.Texts, slices.Clone(d.index)
	c.chunks = make([][]dictEntry[V], len(d.chunks))
	for i, chunk := range d.chunks {
		c.chunks[i] = append(make([]dictEntry[V], 0, cap(chunk)), chunk...)
	}
	return c
}

// Get returns the value of key.
func (d *Dict[V]) Get(key string) (v V, ok bool) {
	if e := d.Find(key); e != nil {
		return e.val, true
	}
	return v, false
}

// Ref returns a pointer to the value of key, or nil. The pointer is valid until the table changes.
func (d *Dict[V]) Ref(key string) *V {
	if e := d.Find(key); e != nil {
		return &e.val
	}
	return nil
}

// Set gives key the value v and reports whether key is new.
func (d *Dict[V]) Set(key string, v V) (added bool) {
	p, added := d.Put(key)
	*p = v
	return added
}

// Put returns a pointer to the value of key. If key is missing, it is added with a zero value.
func (d *Dict[V]) Put(key string) (p *V, added bool) {
	e, added := d.Table.Put(key)
	if added {
		e.key = key
		d.Texts += sizeclass.Round(len(key))
	}
	return &e.val, added
}

// Delete removes key and returns what it held.
func (d *Dict[V]) Delete(key string) (v V, ok bool) {
	v, _, ok = d.Remove(key)
	return v, ok
}

// Remove is Delete, but also returns the position of key, for InsertAt.
func (d *Dict[V]) Remove(key string) (v V, pos int, ok bool) {
	e, pos, ok := d.Table.Remove(key)
	if ok {
		d.Texts -= sizeclass.Round(len(key))
	}
	return e.val, pos, ok
}

// InsertAt undoes a Remove. The table must not have changed since.
func (d *Dict[V]) InsertAt(key string, v V, pos int) {
	d.Table.InsertAt(dictEntry[V]{key: key, val: v}, pos)
	d.Texts += sizeclass.Round(len(key))
}

// At returns the element at position i, 0 <= i < Len. Positions follow insertion order until an
// element is deleted.
func (d *Dict[V]) At(i int) (key string, v V) {
	e := d.Table.At(i)
	return e.key, e.val
}

// Random returns a uniformly chosen element. The table must not be empty.
func (d *Dict[V]) Random(r *rand.Rand) (key string, v V) { return d.At(r.IntN(d.n)) }

// All calls f for each element until f returns false. f must not change the table.
func (d *Dict[V]) All(f func(key string, v V) bool) {
	d.Table.All(func(e *dictEntry[V]) bool { return f(e.key, e.val) })
}

// Scan calls f for the elements of one bucket and returns the next cursor, 0 at the end. An element
// that is in the table from the first call (cursor 0) to the last is passed to f at least once,
// however the table changes between the calls; it may be passed more than once. f must not change
// the table.
func (d *Dict[V]) Scan(cursor uint64, f func(key string, v V)) uint64 {
	return d.Table.Scan(cursor, func(e *dictEntry[V]) { f(e.key, e.val) })
}

// CheckTexts verifies the counted size of the keys, in a table whose values are not strings.
func (d *Dict[V]) CheckTexts() error {
	sum := 0
	d.All(func(key string, _ V) bool {
		sum += sizeclass.Round(len(key))
		return true
	})
	if sum != d.Texts {
		return fmt.Errorf("dict: keys of %d bytes, counted %d", sum, d.Texts)
	}
	return nil
}
