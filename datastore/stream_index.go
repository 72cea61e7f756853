package datastore

import (
	"fmt"
	"slices"
)

// idIndex maps stream ids to values in the order of the ids: a window of chunks of sorted ids. A
// lookup is O(log n). Adding and removing are too, and also move at most one chunk; at the end they
// are O(1).
//
// Invariant: no chunk is empty or has more than idChunkSize ids.
type idIndex[V any] struct {
	chunks window[*idChunk[V]]
	n      int
}

type idChunk[V any] struct {
	ids  []StreamID
	vals []V
}

const idChunkSize = 128

// idPos is the position of an id: its chunk, and the index in it. It is valid until the idIndex
// changes.
type idPos struct{ k, i int }

func (x *idIndex[V]) len() int { return x.n }

// valid reports whether p is the position of an id.
func (x *idIndex[V]) valid(p idPos) bool { return p.k >= 0 && p.k < x.chunks.len() }

func (x *idIndex[V]) chunk(k int) *idChunk[V] { return x.chunks.buf[x.chunks.lo+k] }

// at returns the id and the value at a valid position.
func (x *idIndex[V]) at(p idPos) (StreamID, V) {
	c := x.chunk(p.k)
	return c.ids[p.i], c.vals[p.i]
}

func (x *idIndex[V]) id(p idPos) StreamID  { return x.chunk(p.k).ids[p.i] }
func (x *idIndex[V]) replace(p idPos, v V) { x.chunk(p.k).vals[p.i] = v }
func (x *idIndex[V]) first() idPos         { return idPos{0, 0} }
func (x *idIndex[V]) last() idPos          { return x.lastOf(x.chunks.len() - 1) }
func searchIDs(ids []StreamID, id StreamID) int {
	lo, hi := 0, len(ids)
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if ids[m].Before(id) {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// lastOf returns the position of the last id in chunk k, which may be -1.
func (x *idIndex[V]) lastOf(k int) idPos {
	if k < 0 {
		return idPos{-1, 0}
	}
	return idPos{k, len(x.chunk(k).ids) - 1}
}

// next and prev return the neighbouring position, which is not valid at the end.
func (x *idIndex[V]) next(p idPos) idPos {
	if p.i++; p.i == len(x.chunk(p.k).ids) {
		return idPos{p.k + 1, 0}
	}
	return p
}

func (x *idIndex[V]) prev(p idPos) idPos {
	if p.i == 0 {
		return x.lastOf(p.k - 1)
	}
	return idPos{p.k, p.i - 1}
}

// seek returns the position of the first id not before id; it is not valid if there is none.
func (x *idIndex[V]) seek(id StreamID) idPos {
	lo, hi := 0, x.chunks.len()
	for lo < hi { // the first chunk whose last id is not before id
		m := int(uint(lo+hi) >> 1)
		if ids := x.chunk(m).ids; ids[len(ids)-1].Before(id) {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo == x.chunks.len() {
		return idPos{lo, 0}
	}
	return idPos{lo, searchIDs(x.chunk(lo).ids, id)}
}

// seekBack returns the position of the last id not after id; it is not valid if there is none.
func (x *idIndex[V]) seekBack(id StreamID) idPos {
	p := x.seek(id)
	switch {
	case !x.valid(p):
		return x.last()
	case x.id(p) == id:
		return p
	}
	return x.prev(p)
}

// find returns the position of id.
func (x *idIndex[V]) find(id StreamID) (p idPos, ok bool) {
	p = x.seek(id)
	return p, x.valid(p) && x.id(p) == id
}

func (x *idIndex[V]) get(id StreamID) (v V, ok bool) {
	p, ok := x.find(id)
	if ok {
		_, v = x.at(p)
	}
	return v, ok
}

// set sets the value of id and reports whether id is new.
func (x *idIndex[V]) set(id StreamID, v V) (added bool) {
	_, had := x.swap(id, v)
	return !had
}

// swap sets the value of id and returns the old one.
func (x *idIndex[V]) swap(id StreamID, v V) (old V, had bool) {
	p, ok := x.find(id)
	if ok {
		_, old = x.at(p)
		x.replace(p, v)
		return old, true
	}
	x.n++
	if !x.valid(p) { // after all others
		p = x.last()
		if !x.valid(p) || p.i+1 == idChunkSize {
			x.chunks.pushBack(&idChunk[V]{ids: []StreamID{id}, vals: []V{v}})
			return old, false
		}
		p.i++
	}
	c := x.chunk(p.k)
	if len(c.ids) == idChunkSize {
		half := idChunkSize / 2
		right := &idChunk[V]{ids: slices.Clone(c.ids[half:]), vals: slices.Clone(c.vals[half:])}
		clear(c.vals[half:])
		c.ids, c.vals = c.ids[:half], c.vals[:half]
		x.chunks.insert(p.k+1, right)
		if p.i > half {
			c, p.i = right, p.i-half
		}
	}
	c.ids, c.vals = slices.Insert(c.ids, p.i, id), slices.Insert(c.vals, p.i, v)
	return old, false
}

// remove removes id and returns its value.
func (x *idIndex[V]) remove(id StreamID) (v V, ok bool) {
	p, ok := x.find(id)
	if !ok {
		return v, false
	}
	c := x.chunk(p.k)
	v = c.vals[p.i]
	x.n--
	if p.i == 0 { // first in, first out: the usual case
		clear(c.vals[:1])
		c.ids, c.vals = c.ids[1:], c.vals[1:]
	} else {
		c.ids, c.vals = slices.Delete(c.ids, p.i, p.i+1), slices.Delete(c.vals, p.i, p.i+1)
	}
	switch {
	case len(c.ids) == 0:
		x.chunks.cut(p.k, p.k+1)
	case len(c.ids) < idChunkSize/4 && p.k+1 < x.chunks.len():
		if r := x.chunk(p.k + 1); len(c.ids)+len(r.ids) <= idChunkSize*3/4 {
			c.ids, c.vals = append(c.ids, r.ids...), append(c.vals, r.vals...)
			x.chunks.cut(p.k+1, p.k+2)
		}
	}
	return v, true
}

// clone returns a copy with f applied to each value.
func (x *idIndex[V]) clone(f func(V) V) idIndex[V] {
	c := idIndex[V]{chunks: x.chunks.clone(), n: x.n}
	for i, old := range c.chunks.items() {
		fresh := &idChunk[V]{ids: slices.Clone(old.ids), vals: make([]V, len(old.vals))}
		for j, v := range old.vals {
			fresh.vals[j] = f(v)
		}
		c.chunks.buf[c.chunks.lo+i] = fresh
	}
	return c
}

func (x *idIndex[V]) check() error {
	n := 0
	var last StreamID
	for k, c := range x.chunks.items() {
		if len(c.ids) == 0 || len(c.ids) > idChunkSize || len(c.ids) != len(c.vals) {
			return fmt.Errorf("chunk %d: %d ids, %d values", k, len(c.ids), len(c.vals))
		}
		for _, id := range c.ids {
			if n > 0 && !last.Before(id) {
				return fmt.Errorf("chunk %d: id %s after %s", k, id, last)
			}
			last = id
			n++
		}
	}
	if n != x.n {
		return fmt.Errorf("%d ids, counted %d", x.n, n)
	}
	return nil
}
