package datastore

import (
	"cmp"
	"maps"
	"slices"
)

// StreamGroup is a consumer group: how far its consumers have read, and the pending entries, which
// were delivered to them but not yet acknowledged.
type StreamGroup struct {
	s         *Stream
	name      string
	last      StreamID // id of the last entry delivered
	read      int64    // number of entries delivered up to last, or StreamReadUnknown
	pending   idIndex[*streamPending]
	consumers []*StreamConsumer // by name
	// With Limits.DeliveryOrder: the order in which entries became pending that were delivered in the
	// same ms. Entries of a dump have no turn. Entries without a turn are first, by their ids.
	turns map[StreamID]uint64
	turn  uint64 // the last one given
}

// StreamReadUnknown stands for an unknown number of delivered entries.
const StreamReadUnknown = -1

// StreamConsumer is a consumer of a group.
type StreamConsumer struct {
	name    string
	seen    int64 // ms since the epoch: when it last read or claimed
	active  int64 // ms since the epoch: when it last got entries; -1 is never
	pending idIndex[*streamPending]
}

// streamPending is a pending entry, shared by its group and its consumer.
type streamPending struct {
	delivery
	consumer *StreamConsumer
}

type delivery struct {
	at    int64  // ms since the epoch
	count uint64 // number of deliveries
}

// StreamPending describes a pending entry.
type StreamPending struct {
	ID       StreamID
	Consumer *StreamConsumer
	At       int64  // when it was last delivered, ms since the epoch
	Count    uint64 // number of deliveries
}

// Groups returns the groups in the order of their names. The caller must not change the slice.
func (s *Stream) Groups() []*StreamGroup { return s.groups }

func (s *Stream) groupPlace(name string) (i int, ok bool) {
	return slices.BinarySearchFunc(s.groups, name, func(g *StreamGroup, name string) int { return cmp.Compare(g.name, name) })
}

// Group returns the group with that name, or nil.
func (s *Stream) Group(name string) *StreamGroup {
	if i, ok := s.groupPlace(name); ok {
		return s.groups[i]
	}
	return nil
}

// CreateGroup adds a group that has read up to last, and read entries, or StreamReadUnknown. It
// returns nil if there is a group with that name.
func (s *Stream) CreateGroup(name string, last StreamID, read int64) *StreamGroup {
	i, ok := s.groupPlace(name)
	if ok {
		return nil
	}
	g := &StreamGroup{s: s, name: name, last: last, read: read}
	s.groups = slices.Insert(s.groups, i, g)
	s.bytes += g.bytes()
	if st := s.st; st.Recording() {
		st.record(func() { s.dropGroup(name) })
	}
	return g
}

// DestroyGroup removes a group and reports whether it was there.
func (s *Stream) DestroyGroup(name string) bool {
	i, g := s.dropGroup(name)
	if g == nil {
		return false
	}
	if st := s.st; st.Recording() {
		st.record(func() {
			s.groups = slices.Insert(s.groups, i, g)
			s.bytes += g.bytes()
		})
	}
	return true
}

func (s *Stream) dropGroup(name string) (int, *StreamGroup) {
	i, ok := s.groupPlace(name)
	if !ok {
		return 0, nil
	}
	g := s.groups[i]
	s.groups = slices.Delete(s.groups, i, i+1)
	s.bytes -= g.bytes()
	return i, g
}

// Name is the group's name.
func (g *StreamGroup) Name() string { return g.name }

// LastID is the id of the last entry delivered.
func (g *StreamGroup) LastID() StreamID { return g.last }

// Read is the number of entries delivered up to LastID, or StreamReadUnknown.
func (g *StreamGroup) Read() int64 { return g.read }

// Pending is the number of entries delivered but not acknowledged.
func (g *StreamGroup) Pending() int { return g.pending.len() }

// Consumers returns the consumers in the order of their names. The caller must not change the
// slice.
func (g *StreamGroup) Consumers() []*StreamConsumer { return g.consumers }

// SetID makes the group continue after last. read is the number of entries up to last, or
// StreamReadUnknown.
func (g *StreamGroup) SetID(last StreamID, read int64) {
	if st := g.s.st; st.Recording() {
		oldLast, oldRead := g.last, g.read
		st.record(func() { g.last, g.read = oldLast, oldRead })
	}
	g.last, g.read = last, read
}

func (g *StreamGroup) place(name string) (i int, ok bool) {
	return slices.BinarySearchFunc(g.consumers, name, func(c *StreamConsumer, name string) int { return cmp.Compare(c.name, name) })
}

// Consumer returns the consumer with that name, or nil.
func (g *StreamGroup) Consumer(name string) *StreamConsumer {
	if i, ok := g.place(name); ok {
		return g.consumers[i]
	}
	return nil
}

// CreateConsumer adds a consumer. It returns nil if there is one with that name.
func (g *StreamGroup) CreateConsumer(name string) *StreamConsumer {
	i, ok := g.place(name)
	if ok {
		return nil
	}
	c := &StreamConsumer{name: name, seen: g.s.st.Now(), active: -1}
	g.consumers = slices.Insert(g.consumers, i, c)
	g.s.bytes += c.bytes()
	if st := g.s.st; st.Recording() {
		st.record(func() {
			i, _ := g.place(name)
			g.consumers = slices.Delete(g.consumers, i, i+1)
			g.s.bytes -= c.bytes()
		})
	}
	return c
}

// DeleteConsumer removes a consumer with its pending entries and returns the number of those.
func (g *StreamGroup) DeleteConsumer(c *StreamConsumer) (pending int) {
	pending = c.pending.len()
	for p := c.pending.first(); c.pending.valid(p); p = c.pending.next(p) {
		g.pending.remove(c.pending.id(p))
		g.dropTurn(c.pending.id(p))
	}
	i, _ := g.place(c.name)
	g.consumers = slices.Delete(g.consumers, i, i+1)
	size := c.bytes() + pending*pendingBytes
	g.s.bytes -= size
	if st := g.s.st; st.Recording() {
		st.record(func() {
			g.consumers = slices.Insert(g.consumers, i, c)
			g.s.bytes += size
			for p := c.pending.first(); c.pending.valid(p); p = c.pending.next(p) {
				g.pending.set(c.pending.at(p))
			}
		})
	}
	return pending
}

// Name is the consumer's name.
func (c *StreamConsumer) Name() string { return c.name }

// Seen is when the consumer last read or claimed, in ms since the epoch.
func (c *StreamConsumer) Seen() int64 { return c.seen }

// Pending is the number of entries that the consumer has not acknowledged.
func (c *StreamConsumer) Pending() int { return c.pending.len() }

// Touch sets Seen of c to the current time.
func (g *StreamGroup) Touch(c *StreamConsumer) {
	st := g.s.st
	if st.Recording() {
		old := c.seen
		st.record(func() { c.seen = old })
	}
	c.seen = st.Now()
}

// Active is when the consumer last got or claimed entries, in ms since the epoch, or -1 for never.
func (c *StreamConsumer) Active() int64 { return c.active }

// Activate sets Active of c to the current time.
func (g *StreamGroup) Activate(c *StreamConsumer) {
	st := g.s.st
	if st.Recording() {
		old := c.active
		st.record(func() { c.active = old })
	}
	c.active = st.Now()
}

// clone returns a copy of the group for the stream s.
func (g *StreamGroup) clone(s *Stream) *StreamGroup {
	c := &StreamGroup{s: s, name: g.name, last: g.last, read: g.read, turns: maps.Clone(g.turns), turn: g.turn}
	c.consumers = make([]*StreamConsumer, len(g.consumers))
	c.pending = g.pending.clone(func(p *streamPending) *streamPending { return &streamPending{delivery: p.delivery} })
	for i, old := range g.consumers {
		fresh := &StreamConsumer{name: old.name, seen: old.seen, active: old.active}
		fresh.pending = old.pending.clone(func(p *streamPending) *streamPending { return p })
		for pos := fresh.pending.first(); fresh.pending.valid(pos); pos = fresh.pending.next(pos) {
			p, _ := c.pending.get(fresh.pending.id(pos))
			p.consumer = fresh
			fresh.pending.replace(pos, p)
		}
		c.consumers[i] = fresh
	}
	return c
}
