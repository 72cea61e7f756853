package datastore

import (
	"unsafe"

	"github.com/redmoon-lua/redmoon/datastore/internal/listpack"
)

// pendingBytes is the size of a pending entry: itself, and its entries in the indexes of the group
// and of the consumer.
const pendingBytes = int(unsafe.Sizeof(streamPending{}) + 2*(unsafe.Sizeof(StreamID{})+8))

// nodeBytes is the size of a node and its entry in the index.
func nodeBytes(lp listpack.List) int {
	return textSize(cap(lp)) + int(unsafe.Sizeof(lp)+unsafe.Sizeof(StreamID{}))
}

// putNode adds a node to the index, dropNode removes it; they journal nothing.
func (s *Stream) putNode(master StreamID, lp listpack.List) {
	if old, had := s.nodes.swap(master, lp); had {
		s.bytes -= nodeBytes(old)
	}
	s.bytes += nodeBytes(lp)
}

func (s *Stream) dropNode(master StreamID) (old listpack.List) {
	old, ok := s.nodes.remove(master)
	if ok {
		s.bytes -= nodeBytes(old)
	}
	if m := s.mark(master); m != nil {
		*m = nodeMark{}
	}
	if s.head.master == master {
		s.head = nodeMark{}
	}
	return old
}

// bytes is the size of the group with its consumers and pending entries.
func (g *StreamGroup) bytes() int {
	n := int(unsafe.Sizeof(*g)) + textSize(len(g.name)) + g.pending.len()*pendingBytes + len(g.turns)*turnBytes
	for _, c := range g.consumers {
		n += c.bytes()
	}
	return n
}

// bytes is the size of the consumer without its pending entries.
func (c *StreamConsumer) bytes() int { return int(unsafe.Sizeof(*c)) + textSize(len(c.name)) + 8 }

// countBytes adds up the sizes of the nodes, groups and marks.
func (s *Stream) countBytes() (n int) {
	if s.marks != nil {
		n += marksBytes
	}
	for pos := s.nodes.first(); s.nodes.valid(pos); pos = s.nodes.next(pos) {
		_, lp := s.nodes.at(pos)
		n += nodeBytes(lp)
	}
	for _, g := range s.groups {
		n += g.bytes()
	}
	return n + s.producers.countBytes()
}
