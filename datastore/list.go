package datastore

import (
	"fmt"
	"sort"

	"github.com/redmoon-lua/redmoon/datastore/internal/listpack"
)

// List is a sequence of strings: a window of chunks, each a window of elements. Both ends are
// O(1), an index O(log of the number of chunks), an insertion in the middle moves at most one chunk's
// elements and renumbers the chunks on the shorter side.
//
// Each element has a coordinate: that of the element before it plus one. A chunk knows the coordinate
// of its first element; pushing at the front counts downwards, so that nothing else is renumbered.
//
// Chunks between the first and the last are packed into a listpack, where their elements are short: that takes a third of the memory.
//
// Invariant: no chunk is empty, except the only one of an empty list; none has more than
// listChunk elements.
type List struct {
	st     *Store
	chunks window[*listNode]
	n      int
}

type listNode struct {
	window[string]
	lp    listpack.List // the elements, when the chunk is packed and its window empty; else nil
	start int           // coordinate of the first element
}

// listChunk is how many elements a chunk holds at most.
const listChunk = 128

// List returns the list of key, nil when there is no such key, ErrWrongType when it holds
// another type.
func (db *DB) List(key string) (*List, error) { return object[*List](db, key) }

// ListForWrite is List that puts an empty list under a missing key. Caller must push to it, or
// call DropIfEmpty.
func (db *DB) ListForWrite(key string) (*List, error) {
	l, err := db.List(key)
	if l == nil && err == nil {
		l = &List{st: db.store}
		db.Put(key, l)
	}
	return l, err
}

// NewList returns an empty list that belongs to no key yet.
func (s *Store) NewList() *List { return &List{st: s} }

// Type returns TypeList.
func (l *List) Type() Type { return TypeList }

// Encoding is quicklist, the only one that lists have in Redis 7.0.
func (l *List) Encoding() string { return "quicklist" }

// Len is the number of elements.
func (l *List) Len() int { return l.n }

// node returns chunk k.
func (l *List) node(k int) *listNode { return l.chunks.buf[l.chunks.lo+k] }

func (l *List) first() *listNode { return l.chunks.buf[l.chunks.lo] }
func (l *List) last() *listNode  { return l.chunks.buf[l.chunks.hi-1] }

// seek returns the chunk of element i, 0 <= i < Len, and the element's place in it.
func (l *List) seek(i int) (k, off int) {
	at := l.first().start + i
	last := l.chunks.len() - 1
	switch {
	case i < l.first().len():
		return 0, i
	case at >= l.last().start:
		return last, at - l.last().start
	}
	k = l.chunkOf(at, i*l.chunks.len()/l.n)
	return k, at - l.node(k).start
}

// chunkOf returns the chunk of the element with coordinate at. It looks about guess first: chunks are mostly of one size, and
// each that is looked at is far from the others in memory.
func (l *List) chunkOf(at, guess int) int {
	lo, hi := 0, l.chunks.len() // chunk lo begins at or before at, chunk hi behind it
	if guess = max(0, min(guess, hi-1)); l.node(guess).start <= at {
		lo = guess
		for step := 1; lo+step < hi; step *= 2 {
			if l.node(lo+step).start > at {
				hi = lo + step
				break
			}
			lo += step
		}
	} else {
		hi = guess
		for step := 1; hi-step > lo; step *= 2 {
			if l.node(hi-step).start <= at {
				lo = hi - step
				break
			}
			hi -= step
		}
	}
	return lo + sort.Search(hi-lo-1, func(k int) bool { return l.node(lo+k+1).start > at })
}

// At returns element i, 0 <= i < Len.
func (l *List) At(i int) string {
	k, off := l.seek(i)
	return l.node(k).at(off)
}

// Ascend calls f for the elements from place i on, with their places, until f returns false. f must
// not change the list.
func (l *List) Ascend(i int, f func(i int, el string) bool) {
	if i >= l.n {
		return
	}
	k, off := l.seek(i)
	for ; k < l.chunks.len(); k++ {
		var ok bool
		if i, ok = l.node(k).ascend(off, i, f); !ok {
			return
		}
		off = 0
	}
}

// Descend is Ascend from place i towards the front.
func (l *List) Descend(i int, f func(i int, el string) bool) {
	if i < 0 || l.n == 0 {
		return
	}
	k, off := l.seek(i)
	for {
		var ok bool
		if i, ok = l.node(k).descend(off, i, f); !ok {
			return
		}
		if k--; k < 0 {
			return
		}
		off = l.node(k).len() - 1
	}
}

// pushFront and pushBack journal nothing.
func (l *List) pushFront(el string) {
	if l.chunks.len() == 0 {
		l.chunks.pushFront(&listNode{})
	}
	c := l.first()
	c.open()
	if c.len() == listChunk || c.lo == 0 && c.full() {
		c = &listNode{window: window[string]{buf: make([]string, listChunk), lo: listChunk, hi: listChunk}, start: c.start}
		l.chunks.pushFront(c)
		l.pack(1, 2)
	}
	c.pushFront(el)
	c.start--
	l.n++
}

func (l *List) pushBack(el string) {
	if l.chunks.len() == 0 {
		l.chunks.pushBack(&listNode{})
	}
	c := l.last()
	c.open()
	if c.len() == listChunk || c.hi == len(c.buf) && c.full() {
		c = &listNode{window: window[string]{buf: make([]string, listChunk)}, start: c.start + c.len()}
		l.chunks.pushBack(c)
		l.pack(l.chunks.len()-2, l.chunks.len()-1)
	}
	c.pushBack(el)
	l.n++
}

// full reports whether a chunk without room at the end in question is to get a neighbour: it is of
// full size, and too full for its elements to be moved to the middle every time.
func (c *listNode) full() bool { return len(c.buf) >= listChunk && c.len() > listChunk/2 }

func (l *List) popFront() string {
	c := l.first()
	c.open()
	el := c.popFront()
	c.start++
	l.n--
	if c.len() == 0 && l.chunks.len() > 1 {
		l.chunks.popFront()
	}
	return el
}

func (l *List) popBack() string {
	c := l.last()
	c.open()
	el := c.popBack()
	l.n--
	if c.len() == 0 && l.chunks.len() > 1 {
		l.chunks.popBack()
	}
	return el
}

func (l *List) clone() Object {
	c := &List{st: l.st, chunks: l.chunks.clone(), n: l.n}
	for i, old := range c.chunks.buf {
		c.chunks.buf[i] = &listNode{window: old.window.clone(), lp: old.lp.Clone(), start: old.start}
	}
	return c
}

func (l *List) check() error {
	n := 0
	for i, c := range l.chunks.items() {
		switch {
		case c.len() == 0 && (l.n > 0 || i > 0):
			return fmt.Errorf("list: chunk %d is empty", i)
		case c.len() > listChunk:
			return fmt.Errorf("list: chunk %d has %d elements", i, c.len())
		case c.lp != nil && c.window.len() > 0:
			return fmt.Errorf("list: chunk %d is packed and open", i)
		case c.start != l.first().start+n:
			return fmt.Errorf("list: chunk %d begins at %d, want %d", i, c.start, l.first().start+n)
		}
		n += c.len()
	}
	if n != l.n {
		return fmt.Errorf("list: %d elements, counted %d", l.n, n)
	}
	return nil
}
