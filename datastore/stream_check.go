package datastore

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/redmoon-lua/redmoon/datastore/internal/listpack"
)

// commonBytes is the length of the common prefix of two ids, written as 16 bytes.
func commonBytes(a, b StreamID) int {
	if a.Ms != b.Ms {
		return bits.LeadingZeros64(a.Ms^b.Ms) / 8
	}
	return 8 + bits.LeadingZeros64(a.Seq^b.Seq)/8
}

// bytes returns the id as Redis writes the keys of nodes: 16 bytes, big endian.
func (a StreamID) bytes() (b [16]byte) {
	binary.BigEndian.PutUint64(b[:], a.Ms)
	binary.BigEndian.PutUint64(b[8:], a.Seq)
	return b
}

func (s *Stream) check() error {
	if err := s.checkLayout(); err != nil {
		return fmt.Errorf("stream: %w", err)
	}
	if n := s.countBytes(); n != s.bytes {
		return fmt.Errorf("stream: %d bytes, counted %d", n, s.bytes)
	}
	if s.loose {
		return nil
	}
	if err := s.checkNumbers(); err != nil {
		return fmt.Errorf("stream: %w", err)
	}
	return nil
}

// checkLayout verifies the invariants that are necessary for reading the stream.
func (s *Stream) checkLayout() error {
	if err := s.nodes.check(); err != nil {
		return fmt.Errorf("nodes: %w", err)
	}
	for pos := s.nodes.first(); s.nodes.valid(pos); pos = s.nodes.next(pos) {
		master, lp := s.nodes.at(pos)
		if !listpack.ValidEntries(lp) || !validNode(lp) {
			return fmt.Errorf("node %s: not the layout of a node", master)
		}
		v := viewNode(master, lp)
		if err := s.checkMarks(&v); err != nil {
			return err
		}
	}
	return s.checkGroups()
}

func (s *Stream) checkGroups() error {
	for i, g := range s.groups {
		if i > 0 && s.groups[i-1].name >= g.name {
			return fmt.Errorf("group %q after %q", g.name, s.groups[i-1].name)
		}
		if err := g.check(); err != nil {
			return fmt.Errorf("group %q: %w", g.name, err)
		}
	}
	return nil
}

// checkNumbers verifies that the ids ascend, and that the counters of the stream match its entries.
func (s *Stream) checkNumbers() error {
	length := 0
	var last StreamID
	for pos := s.nodes.first(); s.nodes.valid(pos); pos = s.nodes.next(pos) {
		v := viewNode(s.nodes.at(pos))
		count, deleted := nodeCounts(v.lp)
		length += count
		for p := v.items; p != listpack.None; {
			e := v.entry(p)
			if !last.Before(e.ID) || e.ID.Before(v.master) {
				return fmt.Errorf("node %s: id %s after %s", v.master, e.ID, last)
			}
			last = e.ID
			deleted -= e.flags & streamDeleted
			p = e.after()
		}
		if deleted != 0 {
			return fmt.Errorf("node %s: %d more entries deleted than marked", v.master, deleted)
		}
	}
	switch {
	case length != s.length:
		return fmt.Errorf("length %d, counted %d", s.length, length)
	case s.last.Before(last):
		return fmt.Errorf("entry %s after the last id %s", last, s.last)
	case s.first != s.findFirst():
		return fmt.Errorf("first entry %s, counted %s", s.first, s.findFirst())
	}
	return nil
}

// validNode reports whether a valid listpack has the layout of a node, and the number of entries,
// deleted or not, that its master entry says.
func validNode(lp listpack.List) bool {
	r := nodeReader{lp: lp, p: lp.First()}
	entries := r.int()
	entries += r.int()
	fields := r.int()
	r.skip(fields)
	if r.int() != 0 || r.bad {
		return false
	}
	for r.p != listpack.None && !r.bad {
		flags := r.int()
		r.int()
		r.int()
		n := 3 + fields
		if flags&streamSameFields == 0 {
			own := r.int()
			r.skip(2 * own)
			n = 4 + 2*own
		} else {
			r.skip(fields)
		}
		if r.int() != int64(n) {
			return false
		}
		entries--
	}
	return !r.bad && entries == 0
}

// nodeReader reads a node that is a valid listpack but otherwise unchecked. A missing entry, or a
// text instead of an integer, sets bad.
type nodeReader struct {
	lp  listpack.List
	p   int
	bad bool
}

func (r *nodeReader) int() int64 {
	if r.bad || r.p == listpack.None {
		r.bad = true
		return 0
	}
	n, ok := r.lp.Int(r.p)
	r.bad = !ok
	r.p = r.lp.Next(r.p)
	return n
}

func (r *nodeReader) skip(n int64) {
	if n < 0 || n > int64(len(r.lp)) {
		r.bad = true
	}
	for ; n > 0 && !r.bad; n-- {
		if r.p == listpack.None {
			r.bad = true
			return
		}
		r.p = r.lp.Next(r.p)
	}
}

func (g *StreamGroup) check() error {
	if err := g.pending.check(); err != nil {
		return err
	}
	n := 0
	for i, c := range g.consumers {
		if i > 0 && g.consumers[i-1].name >= c.name {
			return fmt.Errorf("consumer %q after %q", c.name, g.consumers[i-1].name)
		}
		if err := c.pending.check(); err != nil {
			return fmt.Errorf("consumer %q: %w", c.name, err)
		}
		for pos := c.pending.first(); c.pending.valid(pos); pos = c.pending.next(pos) {
			id, p := c.pending.at(pos)
			if q, _ := g.pending.get(id); q != p || p.consumer != c {
				return fmt.Errorf("consumer %q: pending %s is not the group's", c.name, id)
			}
			n++
		}
	}
	if n != g.pending.len() {
		return fmt.Errorf("%d entries pending, of consumers %d", g.pending.len(), n)
	}
	return nil
}
