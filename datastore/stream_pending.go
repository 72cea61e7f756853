package datastore

// EachPending calls f for the pending entries of the group, or only those of consumer c when it is not nil, from
// start to end, until f returns false. f must not change them.
func (g *StreamGroup) EachPending(c *StreamConsumer, start, end StreamID, f func(StreamPending) bool) {
	index := &g.pending
	if c != nil {
		index = &c.pending
	}
	for pos := index.seek(start); index.valid(pos); pos = index.next(pos) {
		id, p := index.at(pos)
		if end.Before(id) || !f(StreamPending{id, p.consumer, p.at, p.count}) {
			return
		}
	}
}

// NextPending is the first pending entry of the group from start on.
func (g *StreamGroup) NextPending(start StreamID) (p StreamPending, ok bool) {
	g.EachPending(nil, start, MaxStreamID, func(first StreamPending) bool { p, ok = first, true; return false })
	return p, ok
}

// PendingBounds are the smallest and the greatest id of the pending entries, of which there must be one.
func (g *StreamGroup) PendingBounds() (first, last StreamID) {
	return g.pending.id(g.pending.first()), g.pending.id(g.pending.last())
}

// FindPending is what is known of the pending entry of id.
func (g *StreamGroup) FindPending(id StreamID) (p StreamPending, ok bool) {
	n, ok := g.pending.get(id)
	if !ok {
		return p, false
	}
	return StreamPending{id, n.consumer, n.at, n.count}, true
}

// Ack takes an entry out of those that are pending and reports whether it was there.
func (g *StreamGroup) Ack(id StreamID) bool {
	p, ok := g.pending.remove(id)
	if !ok {
		return false
	}
	p.consumer.pending.remove(id)
	g.s.bytes -= pendingBytes
	if st := g.s.st; st.Recording() {
		st.record(func() {
			g.s.bytes += pendingBytes
			g.pending.set(id, p)
			p.consumer.pending.set(id, p)
		})
	}
	return true
}

// Assign makes an entry pending for consumer c, or gives it to c when it is pending already, with the time and the count of
// its delivery.
func (g *StreamGroup) Assign(c *StreamConsumer, id StreamID, at int64, count uint64) {
	d := delivery{at, count}
	p, ok := g.pending.get(id)
	if !ok {
		p = &streamPending{d, c}
		g.pending.set(id, p)
		c.pending.set(id, p)
		g.s.bytes += pendingBytes
		if st := g.s.st; st.Recording() {
			st.record(func() {
				g.s.bytes -= pendingBytes
				g.pending.remove(id)
				c.pending.remove(id)
			})
		}
		return
	}
	if st := g.s.st; st.Recording() {
		old, from := p.delivery, p.consumer
		st.record(func() {
			p.delivery = old
			p.give(id, from)
		})
	}
	p.delivery = d
	p.give(id, c)
}

// give makes c the entry's consumer.
func (p *streamPending) give(id StreamID, c *StreamConsumer) {
	if p.consumer == c {
		return
	}
	p.consumer.pending.remove(id)
	c.pending.set(id, p)
	p.consumer = c
}

// Delivered makes the group go on behind id, an entry that a consumer is being given, when id is greater than the last one.
func (g *StreamGroup) Delivered(id StreamID) {
	if !g.last.Before(id) {
		return
	}
	s, read := g.s, g.read
	if s.nodes.len() > 1 {
		s.needMarks()
	}
	if read != StreamReadUnknown && !s.gapsFrom(id) {
		read++
	} else if s.added > 0 {
		read = s.readUpTo(id)
	}
	g.SetID(id, read)
}

// Lag is the number of entries that the group has still to be given; ok is false when it cannot be told.
func (g *StreamGroup) Lag() (lag int64, ok bool) {
	s := g.s
	if s.added == 0 {
		return 0, true
	}
	read := g.read
	if read == StreamReadUnknown || s.gapsFrom(g.last) {
		read = s.readUpTo(g.last)
	}
	return int64(s.added) - read, read != StreamReadUnknown
}

// gapsFrom reports whether an entry was deleted at id or behind it and behind the first entry, so far as the stream
// remembers.
func (s *Stream) gapsFrom(id StreamID) bool {
	return s.length > 0 && !s.maxDeleted.IsZero() && !s.maxDeleted.Before(s.first) && !s.maxDeleted.Before(id)
}

// readUpTo is the number of entries that were ever added up to id, or StreamReadUnknown. It can be told for the last id,
// and for those up to the first entry when none was deleted from there on.
func (s *Stream) readUpTo(id StreamID) int64 {
	switch c := id.Compare(s.last); {
	case s.added == 0:
		return 0
	case s.length == 0 && c <= 0, c == 0:
		return int64(s.added)
	case c > 0:
		return StreamReadUnknown
	}
	if s.maxDeleted.IsZero() || s.maxDeleted.Before(s.first) {
		switch id.Compare(s.first) {
		case -1:
			return int64(s.added) - int64(s.length)
		case 0:
			return int64(s.added) - int64(s.length) + 1
		}
	}
	return StreamReadUnknown
}
