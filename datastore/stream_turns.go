package datastore

import (
	"cmp"
	"slices"
	"unsafe"
)

// turnBytes is the size of an entry of StreamGroup.turns.
const turnBytes = int(unsafe.Sizeof(StreamID{}) + 8)

// nextTurn puts a pending entry behind all others that were delivered in the same ms.
func (g *StreamGroup) nextTurn(id StreamID) {
	g.saveTurn(id)
	g.turn++
	g.setTurn(id, g.turn)
}

// dropTurn forgets the turn of an entry that is pending no longer.
func (g *StreamGroup) dropTurn(id StreamID) {
	if _, had := g.turns[id]; had {
		g.saveTurn(id)
		g.unsetTurn(id)
	}
}

// saveTurn journals the turn of an entry.
func (g *StreamGroup) saveTurn(id StreamID) {
	if st := g.s.st; st.Recording() {
		old, had := g.turns[id]
		st.record(func() {
			if had {
				g.setTurn(id, old)
			} else {
				g.unsetTurn(id)
			}
		})
	}
}

func (g *StreamGroup) setTurn(id StreamID, turn uint64) {
	if g.turns == nil {
		g.turns = map[StreamID]uint64{}
	}
	before := len(g.turns)
	g.turns[id] = turn
	g.s.bytes += (len(g.turns) - before) * turnBytes
}

func (g *StreamGroup) unsetTurn(id StreamID) {
	before := len(g.turns)
	delete(g.turns, id)
	g.s.bytes += (len(g.turns) - before) * turnBytes
}

// Idle returns the pending entries that were last delivered at or before a time, in ms since the
// epoch, in the order of their deliveries. The order of those of the same ms needs
// Limits.DeliveryOrder.
func (g *StreamGroup) Idle(at int64) (idle []StreamPending) {
	g.EachPending(nil, StreamID{}, MaxStreamID, func(p StreamPending) bool {
		if p.At <= at {
			idle = append(idle, p)
		}
		return true
	})
	slices.SortStableFunc(idle, func(a, b StreamPending) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(g.turns[a.ID], g.turns[b.ID]))
	})
	return idle
}

// DeliveredAfter returns the earliest time after at, in ms since the epoch, at which an entry was
// delivered that is pending.
func (g *StreamGroup) DeliveredAfter(at int64) (first int64, ok bool) {
	g.EachPending(nil, StreamID{}, MaxStreamID, func(p StreamPending) bool {
		if p.At > at && (!ok || p.At < first) {
			first, ok = p.At, true
		}
		return true
	})
	return first, ok
}
