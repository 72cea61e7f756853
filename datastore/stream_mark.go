package datastore

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/redmoon-lua/redmoon/datastore/internal/listpack"
)

// streamMarks is a cache of positions in recently used nodes: the entries last read and last
// deleted. The next search in the node can begin there instead of at its front, where the deleted
// entries are. The id of a node selects its slot.
//
// The distance of an entry to the first entry of its node never changes, except by an undo step,
// which drops all marks.
type streamMarks [1 << streamMarkBits]nodeMark

const (
	streamMarkBits = 5
	// bytes of a node that are searched without marks; also the greatest size of field names that
	// are cached
	streamMarkFrom = 512
	marksBytes     = int(unsafe.Sizeof(streamMarks{}))
)

type nodeMark struct {
	master StreamID
	read   entryPlace // position of the last entry read
	found  entryPlace // position of the last entry deleted
	names  []string   // the field names of the node, once read, if they are short
}

// entryPlace is the position of an entry relative to the first entry of its node.
type entryPlace struct {
	id  StreamID
	off int
}

// needMarks allocates the marks. Only changes call it, because reading must not allocate.
func (s *Stream) needMarks() {
	if s.marks == nil {
		s.marks = new(streamMarks)
		s.bytes += marksBytes
	}
}

// mark returns the slot of a node, or nil if there are no marks.
func (s *Stream) mark(master StreamID) *nodeMark {
	if s.marks == nil {
		return nil
	}
	m := &s.marks[(master.Ms*31+master.Seq)*0x9e3779b97f4a7c15>>(64-streamMarkBits)]
	if m.master != master {
		*m = nodeMark{master: master}
	}
	return m
}

// forget drops all marks.
func (s *Stream) forget() {
	s.head = nodeMark{}
	if s.marks != nil {
		clear(s.marks[:])
	}
}

// checkMarks verifies the marks of a node.
func (s *Stream) checkMarks(v *nodeView) error {
	places := []entryPlace{{}}
	if s.head.master == v.master {
		places = append(places, s.head.found)
	}
	if s.marks != nil {
		for _, m := range s.marks {
			if m.master == v.master {
				places = append(places, m.read, m.found)
			}
		}
	}
	for p := v.items; p != listpack.None; {
		e := v.entry(p)
		at := entryPlace{e.ID, p - v.items}
		if s.head.master == v.master && at.off < s.head.found.off && e.flags&streamDeleted == 0 {
			return fmt.Errorf("node %s: entry %s before the first one", v.master, e.ID)
		}
		places = slices.DeleteFunc(places, func(x entryPlace) bool { return x == at })
		p = e.after()
	}
	places = slices.DeleteFunc(places, func(x entryPlace) bool { return x == entryPlace{} })
	if len(places) > 0 {
		return fmt.Errorf("node %s: marks %v without such an entry", v.master, places)
	}
	return nil
}

// from returns a position to begin the search for id: every entry before it has a smaller id.
func (v *nodeView) from(m *nodeMark, id StreamID) int {
	if m == nil || v.items == listpack.None {
		return v.items
	}
	off := 0
	if !id.Before(m.read.id) {
		off = m.read.off
	}
	if !id.Before(m.found.id) {
		off = max(off, m.found.off)
	}
	return v.items + off
}
