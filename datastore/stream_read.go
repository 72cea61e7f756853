package datastore

import "github.com/redmoon-lua/redmoon/datastore/internal/listpack"

// Range calls f for the entries from start to end, inclusive, until f returns false. An entry is
// valid only until f returns. f must not change the entries of the stream.
func (s *Stream) Range(start, end StreamID, f func(*StreamEntry) bool) {
	pos := s.nodes.seekBack(start)
	if !s.nodes.valid(pos) {
		pos = s.nodes.first()
	}
	var e StreamEntry // one allocation: it escapes to f
	for ; s.nodes.valid(pos); pos = s.nodes.next(pos) {
		master, lp := s.nodes.at(pos)
		if end.Before(master) {
			return
		}
		v, m := viewNode(master, lp), s.mark(master)
		if m != nil {
			v.names = m.names
		}
		for p := v.from(m, start); p != listpack.None; {
			e = v.entry(p)
			if end.Before(e.ID) {
				return
			}
			if e.flags&streamDeleted == 0 && !e.ID.Before(start) {
				if m != nil && m.master == master {
					m.read = entryPlace{e.ID, p - v.items}
				}
				more := f(&e)
				if m != nil && m.master == master && v.items-v.field0 <= streamMarkFrom {
					m.names = v.names
				}
				if !more {
					return
				}
			}
			p = e.after()
		}
	}
}

// RevRange is Range from end down to start.
func (s *Stream) RevRange(start, end StreamID, f func(*StreamEntry) bool) {
	var e StreamEntry
	for pos := s.nodes.seekBack(end); s.nodes.valid(pos); pos = s.nodes.prev(pos) {
		v := viewNode(s.nodes.at(pos))
		for p := v.before(v.lp.End()); p != listpack.None; p = v.before(p) {
			e = v.entry(p)
			if e.ID.Before(start) {
				return
			}
			if e.flags&streamDeleted == 0 && !end.Before(e.ID) && !f(&e) {
				return
			}
		}
	}
}

// Has reports whether there is an entry with that id.
func (s *Stream) Has(id StreamID) (there bool) {
	s.Range(id, id, func(*StreamEntry) bool { there = true; return false })
	return there
}

// Top is the id of the last entry, 0-0 if there is none. It is smaller than LastID if entries at
// the end were deleted.
func (s *Stream) Top() (id StreamID) {
	s.RevRange(StreamID{}, MaxStreamID, func(e *StreamEntry) bool { id = e.ID; return false })
	return id
}

// findFirst searches the id of the first entry; 0-0 if there is none.
func (s *Stream) findFirst() StreamID {
	for pos := s.nodes.first(); s.nodes.valid(pos); pos = s.nodes.next(pos) {
		master, lp := s.nodes.at(pos)
		v := viewNode(master, lp)
		p := v.items
		if s.head.master == master && p != listpack.None {
			p += s.head.found.off
		}
		for p != listpack.None {
			e := v.entry(p)
			if e.flags&streamDeleted == 0 {
				s.head = nodeMark{master: master, found: entryPlace{e.ID, p - v.items}}
				return e.ID
			}
			p = e.after()
		}
	}
	return StreamID{}
}

// FirstSlot is the id of the first entry, which may be deleted but still in its node; 0-0 if
// the stream is empty.
func (s *Stream) FirstSlot() StreamID {
	pos := s.nodes.first()
	if s.length == 0 || !s.nodes.valid(pos) {
		return StreamID{}
	}
	v := viewNode(s.nodes.at(pos))
	return v.entry(v.items).ID
}

// TreeNodes is the number of nodes of the radix tree in which Redis would keep the listpacks: one
// for each listpack, one for each position where the ids, written as 16 bytes, diverge, and one for
// each run of bytes between those.
func (s *Stream) TreeNodes() int {
	if s.nodes.len() == 0 {
		return 1
	}
	nodes := 0
	var open []int // depths of the branches above the last id
	// closeSubtrees ends the subtrees of the last id below depth, where the next id diverges from
	// it.
	closeSubtrees := func(depth int) {
		deep := 16
		for len(open) > 0 && open[len(open)-1] > depth {
			up := open[len(open)-1]
			open = open[:len(open)-1]
			nodes += stretch(up+1, deep)
			deep = up
		}
		if len(open) > 0 && open[len(open)-1] == depth {
			nodes += stretch(depth+1, deep)
			return
		}
		if depth < 0 {
			nodes += stretch(0, deep)
			return
		}
		nodes++ // a new branch, and the subtree of its first byte
		nodes += stretch(depth+1, deep)
		open = append(open, depth)
	}
	var last StreamID
	for pos, i := s.nodes.first(), 0; s.nodes.valid(pos); pos, i = s.nodes.next(pos), i+1 {
		id := s.nodes.id(pos)
		nodes++
		if i > 0 {
			closeSubtrees(commonBytes(last, id))
		}
		last = id
	}
	closeSubtrees(-1)
	return nodes
}

// stretch is 1 if there are bytes between two depths, otherwise 0.
func stretch(from, to int) int {
	if to > from {
		return 1
	}
	return 0
}
