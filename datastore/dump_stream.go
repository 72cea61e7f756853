package datastore

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"

	"github.com/redmoon-lua/redmoon/datastore/internal/listpack"
)

// stream writes the nodes of a stream, its counters and ids, and its groups.
func (w *rdbWriter) stream(s *Stream) {
	w.length(uint64(s.nodes.len()))
	for pos := s.nodes.first(); s.nodes.valid(pos); pos = s.nodes.next(pos) {
		master, lp := s.nodes.at(pos)
		key := master.bytes()
		w.bytes(key[:])
		w.blob(lp)
	}
	w.length(uint64(s.length))
	for _, id := range []StreamID{s.last, s.first, s.maxDeleted} {
		w.streamID(id)
	}
	w.length(s.added)
	w.length(uint64(len(s.groups)))
	for _, g := range s.groups {
		w.text(g.name)
		w.streamID(g.last)
		w.length(uint64(g.read))
		w.pending(g)
	}
}

// streamID writes an id as two numbers.
func (w *rdbWriter) streamID(id StreamID) {
	w.length(id.Ms)
	w.length(id.Seq)
}

// rawID writes an id in 16 bytes.
func (w *rdbWriter) rawID(id StreamID) {
	b := id.bytes()
	w.buf = append(w.buf, b[:]...)
}

// pending writes the pending entries of a group, and then its consumers with the ids pending for
// each.
func (w *rdbWriter) pending(g *StreamGroup) {
	w.length(uint64(g.pending.len()))
	for pos := g.pending.first(); g.pending.valid(pos); pos = g.pending.next(pos) {
		id, p := g.pending.at(pos)
		w.rawID(id)
		w.int64(p.at)
		w.length(p.count)
	}
	w.length(uint64(len(g.consumers)))
	for _, c := range g.consumers {
		w.text(c.name)
		w.int64(c.seen)
		if w.opt.version() >= streamActiveVersion {
			w.int64(c.active)
		}
		w.length(uint64(c.pending.len()))
		for pos := c.pending.first(); c.pending.valid(pos); pos = c.pending.next(pos) {
			w.rawID(c.pending.id(pos))
		}
	}
}

// number reads any 64-bit number. As in Redis, the result is the greatest one if the first byte
// does not begin a length.
func (r *rdbReader) number() uint64 {
	if r.pos == len(r.buf) {
		return r.length()
	}
	switch first := r.buf[r.pos]; {
	case first == len64:
		if b := r.take(9); b != nil {
			return binary.BigEndian.Uint64(b[1:])
		}
		return 0
	case first&0xc0 == 0x80 && first != len32:
		r.pos++
		return math.MaxUint64
	}
	return r.length()
}

func (r *rdbReader) streamID() StreamID {
	ms := r.number()
	return StreamID{ms, r.number()}
}

func (r *rdbReader) rawID() StreamID {
	b := r.take(16)
	if b == nil {
		return StreamID{}
	}
	return StreamID{binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])}
}

// stream reads a stream. Redis before 7.0 did not write the first id, the greatest deleted id and
// the number of entries added.
func (r *rdbReader) stream(kind byte) Object {
	if kind == rdbStream3 && r.version < streamActiveVersion {
		r.fail()
		return nil
	}
	s := &Stream{st: r.st}
	for n := r.length(); n > 0 && !r.bad; n-- {
		r.streamNode(s)
	}
	length := r.number()
	s.last = r.streamID()
	s.length = int(min(length, 1<<62))
	if kind >= rdbStream2 {
		s.first, s.maxDeleted, s.added = r.streamID(), r.streamID(), r.number()
	} else if !r.bad {
		s.first, s.added = s.findFirst(), length
	}
	for n := r.length(); n > 0 && !r.bad; n-- {
		r.streamGroup(s, kind)
	}
	if r.bad || s.length > 0 && s.nodes.len() == 0 || s.checkGroups() != nil {
		r.fail()
		return nil
	}
	s.loose = s.checkNumbers() != nil
	s.bytes = s.countBytes()
	return s
}

func (r *rdbReader) streamNode(s *Stream) {
	key, b := r.blob(), r.blob()
	if r.bad || len(key) != 16 || !listpack.ValidEntries(b) || !validNode(b) {
		r.fail()
		return
	}
	id := StreamID{binary.BigEndian.Uint64(key), binary.BigEndian.Uint64(key[8:])}
	if !s.nodes.set(id, slices.Clip(bytes.Clone(b))) {
		r.fail()
	}
}

func (r *rdbReader) streamGroup(s *Stream, kind byte) {
	name, last := r.text(), r.streamID()
	read := s.readUpTo(last)
	if kind >= rdbStream2 {
		read = int64(r.number())
	}
	g := s.CreateGroup(name, last, read)
	if r.bad || g == nil {
		r.fail()
		return
	}
	for n := r.length(); n > 0 && !r.bad; n-- {
		id := r.rawID()
		if p := (&streamPending{delivery: delivery{r.int64(), r.number()}}); !g.pending.set(id, p) {
			r.fail()
		}
	}
	for n := r.length(); n > 0 && !r.bad; n-- {
		r.streamConsumer(g, kind)
	}
}

func (r *rdbReader) streamConsumer(g *StreamGroup, kind byte) {
	c := g.CreateConsumer(r.text())
	if r.bad || c == nil {
		r.fail()
		return
	}
	c.seen = r.int64()
	if c.active = c.seen; kind == rdbStream3 {
		c.active = r.int64()
	}
	for n := r.length(); n > 0 && !r.bad; n-- {
		id := r.rawID()
		p, ok := g.pending.get(id)
		if r.bad || !ok || p.consumer != nil {
			r.fail()
			return
		}
		p.consumer = c
		c.pending.set(id, p)
	}
}
