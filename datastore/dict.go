package datastore

import (
	"fmt"
	"hash/maphash"
	"math/rand/v2"
)

// Dict is a hash table from string to V with three properties that Go's map lacks:
// a cursor that survives changes ([Dict.Scan]), a uniformly random element in O(1)
// ([Dict.Random]) and insertion order while nothing has been deleted ([Dict.At]).
//
// The zero Dict is not ready; use newDict.
type Dict[V any] struct {
	table[dictEntry[V]]
	// bytes of the keys and, if the owner of the table counts them, of values that are strings
	texts int
}

// v comes first, so that a value of size zero takes no space.
type dictEntry[V any] struct {
	val V
	key string
}

// newDict returns an empty table that hashes with seed.
func newDict[V any](seed maphash.Seed) *Dict[V] {
	return &Dict[V]{table: table[dictEntry[V]]{seed: seed, keyOf: func(e *dictEntry[V]) string { return e.key }}}
}

// newStoreDict returns an empty table that belongs to a value of s.
func newStoreDict[V any](s *Store) *Dict[V] {
	d := newDict[V](s.seed)
	d.large = &s.large
	return d
}

// Get returns the value of key.
func (d *Dict[V]) Get(key string) (v V, ok bool) {
	if e := d.find(key); e != nil {
		return e.val, true
	}
	return v, false
}

// Ref returns a pointer to the value of key, or nil. The pointer is valid until the table changes.
func (d *Dict[V]) Ref(key string) *V {
	if e := d.find(key); e != nil {
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
	e, added := d.put(key)
	if added {
		e.key = key
		d.texts += textSize(len(key))
	}
	return &e.val, added
}

// Delete removes key and returns what it held.
func (d *Dict[V]) Delete(key string) (v V, ok bool) {
	v, _, ok = d.remove(key)
	return v, ok
}

// remove is Delete, but also returns the position of key, for insertAt.
func (d *Dict[V]) remove(key string) (v V, pos int, ok bool) {
	e, pos, ok := d.table.remove(key)
	if ok {
		d.texts -= textSize(len(key))
	}
	return e.val, pos, ok
}

// insertAt undoes a remove. The table must not have changed since.
func (d *Dict[V]) insertAt(key string, v V, pos int) {
	d.table.insertAt(dictEntry[V]{key: key, val: v}, pos)
	d.texts += textSize(len(key))
}

// At returns the element at position i, 0 <= i < Len. Positions follow insertion order until an
// element is deleted.
func (d *Dict[V]) At(i int) (key string, v V) {
	e := d.at(i)
	return e.key, e.val
}

// Random returns a uniformly chosen element. Caller must know that the table is not empty.
func (d *Dict[V]) Random(r *rand.Rand) (key string, v V) { return d.At(r.IntN(d.n)) }

// All calls f for each element until f returns false. f must not change the table.
func (d *Dict[V]) All(f func(key string, v V) bool) {
	d.all(func(e *dictEntry[V]) bool { return f(e.key, e.val) })
}

// Scan calls f for the elements of one bucket and returns the next cursor, 0 at the end. An element
// that is in the table from the first call (cursor 0) to the last is passed to f at least once,
// however the table changes between the calls; it may be passed more than once. f must not change
// the table.
func (d *Dict[V]) Scan(cursor uint64, f func(key string, v V)) uint64 {
	return d.scan(cursor, func(e *dictEntry[V]) { f(e.key, e.val) })
}

// checkTexts verifies the counted size of the keys, in a table whose values are not strings.
func (d *Dict[V]) checkTexts() error {
	sum := 0
	d.All(func(key string, _ V) bool {
		sum += textSize(len(key))
		return true
	})
	if sum != d.texts {
		return fmt.Errorf("dict: keys of %d bytes, counted %d", sum, d.texts)
	}
	return nil
}
