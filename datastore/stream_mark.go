package datastore

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/redmoon-lua/redmoon/datastore/internal/listpack"
)

// streamMarks remembers, for the nodes that were used last, where in them entries were found and read, so that
// the next search need not begin at the front of a node: there the deleted entries lie. A node has its
// slot by its id.
//
// An entry never moves against the first one of its node, but by an undo step, which forgets all marks.
type streamMarks [1 << streamMarkBits]nodeMark

const (
	streamMarkBits = 5
	streamMarkFrom = 512 // bytes of a node that are read without marks; the most that its fields take to be kept
	marksBytes     = int(unsafe.Sizeof(streamMarks{}))
)

type nodeMark struct {
	master StreamID
	read   entryPlace // of the last entry read
	found  entryPlace // of the last entry deleted
	names  []string   // the fields of the node, once they have been read, when they are short
}

// entryPlace is the place of an entry behind that of the first of its node.
type entryPlace struct {
	id  StreamID
	off int
}

// needMarks makes room for marks. It is for changes: reading must not take memory.
func (s *Stream) needMarks() {
	if s.marks == nil {
		s.marks = new(streamMarks)
		s.bytes += marksBytes
	}
}

// mark is the slot of a node, nil without marks.
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
		return fmt.Errorf("node %s: marks %v where no such entry is", v.master, places)
	}
	return nil
}

// from is a place from which the entry of id can be looked for: no entry of id or a greater one lies before it.
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
