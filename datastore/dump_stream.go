package datastore

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/redmoon-lua/redmoon/datastore/internal/listpack"
)

// stream writes the nodes of a stream, its counters and ids, and its groups.
func (w *rdbWriter) stream(s *Stream) {
	w.Length(uint64(s.nodes.len()))
	for pos := s.nodes.first(); s.nodes.valid(pos); pos = s.nodes.next(pos) {
		master, lp := s.nodes.at(pos)
		key := master.bytes()
		w.Bytes(key[:])
		w.Blob(lp)
	}
	w.Length(uint64(s.length))
	for _, id := range []StreamID{s.last, s.first, s.maxDeleted} {
		w.streamID(id)
	}
	w.Length(s.added)
	w.Length(uint64(len(s.groups)))
	for _, g := range s.groups {
		w.Text(g.name)
		w.streamID(g.last)
		w.Length(uint64(g.read))
		w.pending(g)
	}
	if w.producers() {
		w.streamProducers(s)
	}
}

// streamID writes an id as two numbers.
func (w *rdbWriter) streamID(id StreamID) {
	w.Length(id.Ms)
	w.Length(id.Seq)
}

// rawID writes an id in 16 bytes.
func (w *rdbWriter) rawID(id StreamID) {
	b := id.bytes()
	w.Raw(b[:])
}

// pending writes the pending entries of a group, and then its consumers with the ids pending for
// each.
func (w *rdbWriter) pending(g *StreamGroup) {
	w.Length(uint64(g.pending.len()))
	for pos := g.pending.first(); g.pending.valid(pos); pos = g.pending.next(pos) {
		id, p := g.pending.at(pos)
		w.rawID(id)
		w.Int64(p.at)
		w.Length(p.count)
	}
	w.Length(uint64(len(g.consumers)))
	for _, c := range g.consumers {
		w.Text(c.name)
		w.Int64(c.seen)
		if w.version >= redis72Version {
			w.Int64(c.active)
		}
		w.Length(uint64(c.pending.len()))
		for pos := c.pending.first(); c.pending.valid(pos); pos = c.pending.next(pos) {
			w.rawID(c.pending.id(pos))
		}
	}
}

func (r *rdbReader) streamID() StreamID {
	ms := r.Number()
	return StreamID{ms, r.Number()}
}

func (r *rdbReader) rawID() StreamID {
	b := r.Take(16)
	if b == nil {
		return StreamID{}
	}
	return StreamID{binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])}
}

// stream reads a stream. Redis before 7.0 did not write the first id, the greatest deleted id and
// the number of entries added.
func (r *rdbReader) stream(kind byte) Object {
	s := newStream(r.st)
	for n := r.Length(); n > 0 && !r.Bad; n-- {
		r.streamNode(s)
	}
	length := r.Number()
	s.last = r.streamID()
	s.length = int(min(length, 1<<62))
	if kind >= rdbStream2 {
		s.first, s.maxDeleted, s.added = r.streamID(), r.streamID(), r.Number()
	} else if !r.Bad {
		s.first, s.added = s.findFirst(), length
	}
	for n := r.Length(); n > 0 && !r.Bad; n-- {
		r.streamGroup(s, kind)
	}
	if kind == rdbStream4 {
		r.streamProducers(s)
	}
	if r.Bad || s.length > 0 && s.nodes.len() == 0 || s.checkGroups() != nil {
		r.Fail()
		return nil
	}
	s.loose = s.checkNumbers() != nil
	s.bytes = s.countBytes()
	return s
}

func (r *rdbReader) streamNode(s *Stream) {
	key := r.Blob()
	if r.Bad || len(key) != 16 {
		r.Fail()
		return
	}
	id := StreamID{binary.BigEndian.Uint64(key), binary.BigEndian.Uint64(key[8:])}
	b := r.Blob()
	if r.Bad || !listpack.ValidEntries(b) || !validNode(b) {
		r.Fail()
		return
	}
	if !s.nodes.set(id, slices.Clip(bytes.Clone(b))) {
		r.Fail()
	}
}

func (r *rdbReader) streamGroup(s *Stream, kind byte) {
	name, last := r.Text(), r.streamID()
	read := s.readUpTo(last)
	if kind >= rdbStream2 {
		read = int64(r.Number())
	}
	g := s.CreateGroup(name, last, read)
	if r.Bad || g == nil {
		r.Fail()
		return
	}
	for n := r.Length(); n > 0 && !r.Bad; n-- {
		id := r.rawID()
		if p := (&streamPending{delivery: delivery{r.Int64(), r.Number()}}); !g.pending.set(id, p) {
			r.Fail()
		}
	}
	for n := r.Length(); n > 0 && !r.Bad; n-- {
		r.streamConsumer(g, kind)
	}
}

func (r *rdbReader) streamConsumer(g *StreamGroup, kind byte) {
	c := g.CreateConsumer(r.Text())
	if r.Bad || c == nil {
		r.Fail()
		return
	}
	c.seen = r.Int64()
	if c.active = c.seen; kind >= rdbStream3 {
		c.active = r.Int64()
	}
	for n := r.Length(); n > 0 && !r.Bad; n-- {
		id := r.rawID()
		p, ok := g.pending.get(id)
		if r.Bad || !ok || p.consumer != nil {
			r.Fail()
			return
		}
		p.consumer = c
		c.pending.set(id, p)
	}
}
