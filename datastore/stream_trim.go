package datastore

import "github.com/redmoon-lua/redmoon/datastore/internal/listpack"

// StreamTrim says which of the oldest entries [Stream.Trim] removes.
type StreamTrim struct {
	ByID   bool
	MaxLen int64    // number of entries to keep; used unless ByID
	MinID  StreamID // with ByID: the smallest id to keep
	Approx bool     // remove whole nodes only; has no effect unless Refs is KeepStreamRefs
	Limit  int64    // greatest number of entries to remove; 0: no limit
	Refs   StreamRefs
}

// StreamRefs says what removing an entry does about the groups that refer to it.
type StreamRefs uint8

// The choices.
const (
	KeepStreamRefs  StreamRefs = iota // pending entries stay, although the entry is gone
	DropStreamRefs                    // pending entries are removed too
	AckedStreamRefs                   // an entry stays if a group refers to it
)

// Referenced reports whether a group has the entry pending, or has not read it yet.
func (s *Stream) Referenced(id StreamID) bool {
	for _, g := range s.groups {
		if _, pending := g.pending.get(id); pending || g.last.Before(id) {
			return true
		}
	}
	return false
}

// DropRefs removes the pending entries with that id from all groups.
func (s *Stream) DropRefs(id StreamID) {
	for _, g := range s.groups {
		g.Ack(id)
	}
}

// Trim removes the oldest entries and returns their number.
func (s *Stream) Trim(t StreamTrim) (removed int64) {
	saved := false
	for pos := s.nodes.first(); s.nodes.valid(pos) && (t.ByID || int64(s.length) > t.MaxLen); {
		v := viewNode(s.nodes.at(pos))
		count, _ := nodeCounts(v.lp)
		if t.Limit > 0 && removed+int64(count) > t.Limit {
			break
		}
		whole := int64(s.length-count) >= t.MaxLen
		if t.ByID {
			whole = v.lastID().Before(t.MinID)
		}
		if !whole && t.Approx && t.Refs == KeepStreamRefs {
			break
		}
		if !saved {
			s.saveState()
			saved = true
		}
		if whole && t.Refs == KeepStreamRefs {
			s.removeNode(v.master)
			s.length -= count
			removed += int64(count)
			pos = s.nodes.first()
			continue
		}
		removed += s.trimNode(&v, t)
		if !whole {
			break
		}
		if count, _ := nodeCounts(v.lp); count == 0 {
			s.removeNode(v.master)
		}
		pos = s.nodes.seek(v.master)
		if s.nodes.valid(pos) && s.nodes.id(pos) == v.master {
			pos = s.nodes.next(pos)
		}
	}
	if saved && removed > 0 {
		s.first = s.findFirst()
	}
	return removed
}

// trimNode marks entries at the front of a node as deleted.
func (s *Stream) trimNode(v *nodeView, t StreamTrim) (removed int64) {
	lp := s.own(v.lp)
	v.lp = lp
	count, deleted := nodeCounts(lp)
	for p := v.items; p != listpack.None; {
		e := v.entry(p)
		if t.ByID && !e.ID.Before(t.MinID) || !t.ByID && int64(s.length) <= t.MaxLen {
			break
		}
		p = e.after()
		if e.flags&streamDeleted != 0 || t.Refs == AckedStreamRefs && s.Referenced(e.ID) {
			continue
		}
		if t.Refs == DropStreamRefs {
			s.DropRefs(e.ID)
		}
		lp.ReplaceInt(e.at, int64(e.flags|streamDeleted)) // of the same width
		removed++
		s.length--
	}
	setNodeCounts(&lp, count-int(removed), deleted+int(removed))
	s.setNode(v.master, lp)
	return removed
}

// Delete removes the entries with the given ids and returns the number of those that existed.
func (s *Stream) Delete(ids []StreamID) (removed int) {
	first := false
	for _, id := range ids {
		if !s.deleteOne(id, removed == 0) {
			continue
		}
		removed++
		first = first || id == s.first
		if s.maxDeleted.Before(id) {
			s.maxDeleted = id
		}
	}
	if first {
		s.first = s.findFirst()
	}
	return removed
}

// deleteOne removes one entry; if save is set, it first journals the state of the stream.
func (s *Stream) deleteOne(id StreamID, save bool) bool {
	pos := s.nodes.seekBack(id)
	if !s.nodes.valid(pos) {
		return false
	}
	v := viewNode(s.nodes.at(pos))
	at := v.find(v.from(s.mark(v.master), id), id)
	if at == listpack.None {
		return false
	}
	if save {
		s.saveState()
	}
	s.length--
	count, deleted := nodeCounts(v.lp)
	if count == 1 {
		s.removeNode(v.master)
		return true
	}
	if at-v.items >= streamMarkFrom {
		s.needMarks()
	}
	if m := s.mark(v.master); m != nil {
		m.found = entryPlace{id, at - v.items}
	}
	lp := s.own(v.lp)
	lp.ReplaceInt(at, int64(nodeInt(lp, at)|streamDeleted))
	setNodeCounts(&lp, count-1, deleted+1)
	s.setNode(v.master, lp)
	return true
}

// find returns the position of the entry with that id, at or after p, or None if it does not exist
// or is deleted.
func (v *nodeView) find(p int, id StreamID) int {
	for p != listpack.None {
		e := v.entry(p)
		switch {
		case e.ID == id && e.flags&streamDeleted == 0:
			return p
		case id.Before(e.ID):
			return listpack.None
		}
		p = e.after()
	}
	return listpack.None
}
