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

// NextID returns the id that the stream would give to an entry now: greater than LastID, even if
// the clock went back. It is 0-0 if LastID is [MaxStreamID].
func (s *Stream) NextID() StreamID {
	if now := uint64(s.st.Now()); now > s.last.Ms {
		return StreamID{now, 0}
	}
	id, _ := s.last.Next()
	return id
}

// NextSeq returns the next id with the given ms: LastID plus one if LastID has the same ms,
// otherwise ms-0. ok is false if the sequence number would overflow.
func (s *Stream) NextSeq(ms uint64) (id StreamID, ok bool) {
	if ms != s.last.Ms {
		return StreamID{ms, 0}, true
	}
	id, ok = s.last.Next()
	return id, ok && id.Ms == ms
}

// Add appends an entry with pairs: field, value, field, value ... If it returns an error,
// ErrStreamID or ErrStreamTooLarge, it has changed nothing.
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

// maxNode is the number of bytes from which a node is full.
func (s *Stream) maxNode() int {
	if n := s.st.limits.StreamNodeMaxBytes; n > 0 && n < streamMaxNode {
		return n
	}
	return streamMaxNode
}

// nodeFor returns the node for an entry of size bytes: the last one, or a new one if that is full.
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
		s.putNode(master, lp.Clone()) // it is complete: release its free space
	}
	return id, nil, true
}

// newNode returns a node with only the master entry.
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

// appendEntry appends an entry to a node. same says that its fields are those of the master entry.
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
