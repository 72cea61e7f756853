package datastore

import (
	"errors"

	"github.com/redmoon-lua/redmoon/datastore/internal/listpack"
)

// Errors of [Stream.Add].
var (
	ErrStreamID       = errors.New("datastore: the id is not greater than the last one of the stream")
	ErrStreamTooLarge = errors.New("datastore: the fields are too large for a stream")
)

// NextID is the id that the stream gives at the present time: greater than the last one, also when the clock
// went back. It is 0-0 when the last one is the greatest there is.
func (s *Stream) NextID() StreamID {
	if now := uint64(s.st.Now()); now > s.last.Ms {
		return StreamID{now, 0}
	}
	id, _ := s.last.Next()
	return id
}

// NextSeq is the id of the given ms behind the last one, or with the number 0 when the last one is of another ms. ok is
// false when the last one has the greatest number of that ms.
func (s *Stream) NextSeq(ms uint64) (id StreamID, ok bool) {
	if ms != s.last.Ms {
		return StreamID{ms, 0}, true
	}
	id, ok = s.last.Next()
	return id, ok && id.Ms == ms
}

// Add appends an entry with pairs: field, value, field, value ... It returns ErrStreamID or ErrStreamTooLarge
// and changes nothing when the entry cannot be.
func (s *Stream) Add(id StreamID, pairs []string) error {
	if !s.last.Before(id) {
		return ErrStreamID
	}
	size := 0
	for _, p := range pairs {
		size += len(p)
	}
	if size > streamMaxNode {
		return ErrStreamTooLarge
	}
	s.saveState()
	master, lp, fresh := s.nodeFor(id, size)
	if fresh {
		lp = newNode(pairs)
	}
	s.appendEntry(master, &lp, id, pairs, fresh)
	s.setNode(master, lp)
	s.length++
	s.added++
	s.last = id
	if s.length == 1 {
		s.first = id
	}
	return nil
}

// maxNode is how many bytes make a node full.
func (s *Stream) maxNode() int {
	if n := s.st.limits.StreamNodeMaxBytes; n > 0 && n < streamMaxNode {
		return n
	}
	return streamMaxNode
}

// nodeFor chooses the node for an entry of so many bytes: the last one, or a new one when that is full.
func (s *Stream) nodeFor(id StreamID, size int) (master StreamID, lp listpack.List, fresh bool) {
	pos := s.nodes.last()
	if !s.nodes.valid(pos) {
		return id, nil, true
	}
	master, lp = s.nodes.at(pos)
	full := len(lp)+size >= s.maxNode()
	if n := s.st.limits.StreamNodeMaxEntries; !full && n > 0 {
		count, deleted := nodeCounts(lp)
		full = count+deleted >= n
	}
	if !full {
		return master, s.own(lp), false
	}
	if cap(lp) > len(lp)+len(lp)/8 {
		s.putNode(master, lp.Clone()) // nothing will be added to it
	}
	return id, nil, true
}

// newNode makes a node with only its master entry.
func newNode(pairs []string) listpack.List {
	lp := listpack.New(64)
	lp.AppendInt(0)
	lp.AppendInt(0)
	lp.AppendInt(int64(len(pairs) / 2))
	for i := 0; i < len(pairs); i += 2 {
		lp.Append(pairs[i])
	}
	lp.AppendInt(0)
	return lp
}

// appendEntry writes an entry to the end of a node. same tells that the fields are those of the master entry.
func (s *Stream) appendEntry(master StreamID, lp *listpack.List, id StreamID, pairs []string, same bool) {
	count, deleted := nodeCounts(*lp)
	if !same {
		same = sameFields(*lp, pairs)
	}
	e := s.st.scratch[:0]
	flags, n := int64(0), 3+len(pairs)
	if same {
		flags, n = streamSameFields, 3+len(pairs)/2
	}
	e = listpack.AppendInt(e, flags)
	e = listpack.AppendInt(e, int64(id.Ms-master.Ms))
	e = listpack.AppendInt(e, int64(id.Seq-master.Seq))
	if !same {
		e = listpack.AppendInt(e, int64(len(pairs)/2))
		n++
	}
	for i, p := range pairs {
		if i%2 == 1 || !same {
			e = listpack.AppendText(e, p)
		}
	}
	e = listpack.AppendInt(e, int64(n))
	setNodeCounts(lp, count+1, deleted)
	lp.GrowWithin(len(e), s.maxNode())
	lp.Splice(lp.End(), 0, e, n+1)
	if cap(e) <= 1<<16 {
		s.st.scratch = e
	}
}

// sameFields reports whether the fields of pairs are those of the node's master entry.
func sameFields(lp listpack.List, pairs []string) bool {
	p := lp.Next(lp.Next(lp.First()))
	if nodeInt(lp, p) != len(pairs)/2 {
		return false
	}
	for i := 0; i < len(pairs); i += 2 {
		p = lp.Next(p)
		if !lp.Equal(p, pairs[i]) {
			return false
		}
	}
	return true
}
