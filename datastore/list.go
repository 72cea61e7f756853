package datastore

import (
	"fmt"
	"sort"

	"github.com/redmoon-lua/redmoon/datastore/internal/listpack"
)

// List is a sequence of strings with the structure of Redis's quicklist: a sequence of nodes, each
// a listpack or one large element. The division into nodes depends on the history of the list, and
// DUMP shows it. It follows list-max-listpack-size as it was when the list was made.
//
// Pushing and popping are O(1), access by index is O(log n) in the number of nodes. An insertion in
// the middle moves at most the bytes of one node and renumbers the nodes on the shorter side.
//
// Each element has a coordinate: that of the previous element plus one. A node stores the
// coordinate of its first element. Pushing at the front counts downwards, so that no other node is
// renumbered.
//
// Invariant: no node is empty; an empty list has no nodes.
type List struct {
	st    *Store
	nodes window[*listNode]
	n     int
	inner int   // bytes of the nodes except the first and the last
	fill  int16 // list-max-listpack-size: entries of a node, or -1..-5 for 4..64 KiB
	// list-compress-depth: list-compress-depth: nodes at each end that Redis does not compress; 0:
	// no compression
	depth int32

	compact  bool // a listpack: one node without limits
	restored bool // entries may have another encoding than AppendText would give them
}

// List returns the list of key, nil if there is no such key. The error is ErrWrongType.
func (db *DB) List(key string) (*List, error) { return object[*List](db, key) }

// ListForWrite is List, but puts an empty list under a missing key. The caller must push to it, or
// call DropIfEmpty.
func (db *DB) ListForWrite(key string) (*List, error) {
	l, err := db.List(key)
	if l == nil && err == nil {
		l = db.store.newList()
		l.compact = db.store.limits.CompactLists
		db.Put(key, l)
	}
	return l, err
}

// NewList returns an empty list that belongs to no key yet. In Redis 7.0 its nodes follow the
// defaults, not the limits of the store, as those of lists that SORT makes. It is a quicklist; see
// Settle.
func (s *Store) NewList() *List {
	if s.limits.CompactLists {
		return s.newList()
	}
	return &List{st: s, fill: defaultFill}
}

// newList returns an empty list whose nodes follow the limits.
func (s *Store) newList() *List {
	return &List{st: s, fill: int16(max(minFill, min(s.limits.ListMaxListpackSize, maxFill))),
		depth: int32(min(s.limits.ListCompressDepth, maxDepth))}
}

// Type returns TypeList.
func (l *List) Type() Type { return TypeList }

// Len is the number of elements.
func (l *List) Len() int { return l.n }

// ListNodes describes the nodes of a list, for DEBUG OBJECT.
type ListNodes struct {
	Count      int  // number of nodes
	Bytes      int  // bytes of all nodes, uncompressed
	Fill       int  // list-max-listpack-size when the list was made
	Compressed bool // list-compress-depth was above 0 when the list was made
}

// Nodes describes the nodes.
func (l *List) Nodes() ListNodes {
	out := ListNodes{Count: l.nodes.len(), Fill: int(l.fill), Compressed: l.depth > 0}
	for _, c := range l.nodes.items() {
		out.Bytes += c.size()
	}
	return out
}

// node returns node k.
func (l *List) node(k int) *listNode { return l.nodes.buf[l.nodes.lo+k] }

func (l *List) first() *listNode { return l.nodes.buf[l.nodes.lo] }
func (l *List) last() *listNode  { return l.nodes.buf[l.nodes.hi-1] }

// seek returns the node of element i, 0 <= i < Len, and the element's index in it.
func (l *List) seek(i int) (k, off int) {
	at := l.first().start + i
	last := l.nodes.len() - 1
	switch {
	case i < l.first().count:
		return 0, i
	case at >= l.last().start:
		return last, at - l.last().start
	}
	k = l.nodeOf(at, l.guess(i))
	return k, at - l.node(k).start
}

// guess estimates the node of element i.
func (l *List) guess(i int) int { return i * l.nodes.len() / l.n }

// nodeOf returns the node of the element with coordinate at. It searches around guess first: most
// nodes have the same size, and each node that it reads is likely a cache miss.
func (l *List) nodeOf(at, guess int) int {
	lo, hi := 0, l.nodes.len() // node lo begins at or before at, node hi after it
	if guess = min(guess, hi-1); l.node(guess).start <= at {
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
	c := l.node(k)
	if c.plain {
		return c.text
	}
	lp := c.lp()
	return l.st.text(lp, lp.Seek(off))
}

// walk calls f for the positions of the elements from index i on, backwards if back is set, until f
// returns false. f must not change the list.
func (l *List) walk(i int, back bool, f func(c *listNode, lp listpack.List, p int) bool) {
	if i < 0 || i >= l.n {
		return
	}
	step := 1
	if back {
		step = -1
	}
	k, off := l.seek(i)
	for {
		if c := l.node(k); c.plain {
			if !f(c, nil, 0) {
				return
			}
		} else {
			lp := c.lp()
			for p := lp.Seek(off); p != listpack.None; {
				if !f(c, lp, p) {
					return
				}
				if back {
					p = lp.Prev(p)
				} else {
					p = lp.Next(p)
				}
			}
		}
		if k += step; k < 0 || k >= l.nodes.len() {
			return
		}
		if off = 0; back {
			off = l.node(k).count - 1
		}
	}
}

// Ascend calls f for the elements from index i on, with their indexes, until f returns false. f
// must not change the list.
func (l *List) Ascend(i int, f func(i int, el string) bool) { l.visit(i, false, f) }

// Descend is Ascend from index i towards the front.
func (l *List) Descend(i int, f func(i int, el string) bool) { l.visit(i, true, f) }

func (l *List) visit(i int, back bool, f func(i int, el string) bool) {
	step := 1
	if back {
		step = -1
	}
	l.walk(i, back, func(c *listNode, lp listpack.List, p int) bool {
		el := c.text
		if lp != nil {
			el = l.st.text(lp, p)
		}
		more := f(i, el)
		i += step
		return more
	})
}

// Compare calls f for the elements from index i on, towards the front if back is set, with their
// indexes and whether each equals el, until f returns false. f must not change the list.
func (l *List) Compare(i int, back bool, el string, f func(i int, equal bool) bool) {
	step := 1
	if back {
		step = -1
	}
	l.walk(i, back, func(c *listNode, lp listpack.List, p int) bool {
		more := f(i, lp == nil && c.text == el || lp != nil && lp.Equal(p, el))
		i += step
		return more
	})
}

func (l *List) clone() Object {
	c := *l
	c.nodes = l.nodes.clone()
	for i, old := range c.nodes.buf {
		c.nodes.buf[i] = old.clone()
	}
	c.recount()
	return &c
}

func (l *List) check() error {
	n := 0
	for i, c := range l.nodes.items() {
		if err := c.check(); err != nil {
			return fmt.Errorf("list: node %d: %w", i, err)
		}
		if c.start != l.first().start+n {
			return fmt.Errorf("list: node %d begins at %d, want %d", i, c.start, l.first().start+n)
		}
		n += c.count
	}
	if n != l.n {
		return fmt.Errorf("list: %d elements, counted %d", l.n, n)
	}
	if sum := l.innerBytes(); sum != l.inner {
		return fmt.Errorf("list: inner nodes of %d bytes, counted %d", sum, l.inner)
	}
	return nil
}
