package datastore

// EachPending calls f for the pending entries of the group, or of consumer c if it is not nil, from
// start to end (inclusive), until f returns false. f must not change them.
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

// NextPending returns the first pending entry of the group from start on.
func (g *StreamGroup) NextPending(start StreamID) (p StreamPending, ok bool) {
	g.EachPending(nil, start, MaxStreamID, func(first StreamPending) bool { p, ok = first, true; return false })
	return p, ok
}

// PendingBounds returns the smallest and the greatest id of the pending entries. There must be one.
func (g *StreamGroup) PendingBounds() (first, last StreamID) {
	return g.pending.id(g.pending.first()), g.pending.id(g.pending.last())
}

// FindPending returns the pending entry of id.
func (g *StreamGroup) FindPending(id StreamID) (p StreamPending, ok bool) {
	n, ok := g.pending.get(id)
	if !ok {
		return p, false
	}
	return StreamPending{id, n.consumer, n.at, n.count}, true
}

// Ack removes an entry from the pending entries and reports whether it was pending.
func (g *StreamGroup) Ack(id StreamID) bool {
	p, ok := g.pending.remove(id)
	if !ok {
		return false
	}
	p.consumer.pending.remove(id)
	g.s.bytes -= pendingBytes
	g.dropTurn(id)
	if st := g.s.st; st.Recording() {
		st.record(func() {
			g.s.bytes += pendingBytes
			g.pending.set(id, p)
			p.consumer.pending.set(id, p)
		})
	}
	return true
}

// Assign makes an entry pending for consumer c, or moves it to c if it is pending already. at is
// the time of its last delivery in ms since the epoch, count the number of deliveries.
func (g *StreamGroup) Assign(c *StreamConsumer, id StreamID, at int64, count uint64) {
	d := delivery{at, count}
	if g.s.st.limits.DeliveryOrder {
		g.nextTurn(id)
	}
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

// give makes c the consumer of the entry.
func (p *streamPending) give(id StreamID, c *StreamConsumer) {
	if p.consumer == c {
		return
	}
	p.consumer.pending.remove(id)
	c.pending.set(id, p)
	p.consumer = c
}

// Delivered makes the group continue after id, which is being delivered to a consumer, if id is
// greater than LastID.
func (g *StreamGroup) Delivered(id StreamID) {
	if !g.last.Before(id) {
		return
	}
	s, read := g.s, g.read
	if s.nodes.len() > 1 {
		s.needMarks()
	}
	from := id
	if s.st.limits.GapsFromRead {
		from = g.last
	}
	behind := s.st.limits.GapsFromRead && g.last.Before(s.first)
	if read != StreamReadUnknown && !behind && !s.hasGapsFrom(from) {
		read++
	} else if s.added > 0 {
		read = s.readUpTo(id)
	}
	g.SetID(id, read)
}

// Lag is the number of entries not yet delivered to the group; ok is false if it is unknown.
func (g *StreamGroup) Lag() (lag int64, ok bool) {
	s := g.s
	if s.added == 0 {
		return 0, true
	}
	if s.st.limits.GroupsFromFirst {
		if s.length == 0 {
			return 0, true
		}
		if g.last.Before(s.first) && s.maxDeleted.Before(s.first) {
			return int64(s.length), true
		}
	}
	read := g.read
	if read == StreamReadUnknown || s.hasGapsFrom(g.last) {
		read = s.readUpTo(g.last)
	}
	return int64(s.added) - read, read != StreamReadUnknown
}

// hasGapsFrom reports whether an entry may have been deleted that is at or after id and, except in
// Valkey 8.1, after the first entry.
func (s *Stream) hasGapsFrom(id StreamID) bool {
	if s.length == 0 || s.maxDeleted.IsZero() || s.maxDeleted.Before(id) {
		return false
	}
	return s.st.limits.UnknownBeforeDeleted || !s.maxDeleted.Before(s.first)
}

// readUpTo returns the number of entries ever added up to id, or StreamReadUnknown. It is known for
// the last id, and for ids up to the first entry if no entry was deleted after it.
func (s *Stream) readUpTo(id StreamID) int64 {
	switch c := id.Compare(s.last); {
	case s.added == 0:
		return 0
	case s.length == 0 && c <= 0, c == 0:
		return int64(s.added)
	case c > 0:
		return StreamReadUnknown
	}
	if s.st.limits.UnknownBeforeDeleted && !id.IsZero() && id.Before(s.maxDeleted) {
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
