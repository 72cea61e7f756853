package datastore

import "github.com/redmoon-lua/redmoon/datastore/internal/listpack"

// Stream is an append-only log of entries, each a list of fields and values with a [StreamID], and
// the consumer groups that read it. As in Redis, the entries are in listpacks (nodes), indexed by
// the id of the first entry that was put into each; stream_node.go describes their layout.
//
// A stream may be empty: its key stays until it is deleted.
type Stream struct {
	st *Store
	streamState
	nodes  idIndex[listpack.List]
	groups []*StreamGroup // by name
	bytes  int            // of the nodes, groups and marks; see stream_bytes.go
	// head.found is the first entry; the entries before it in its node are deleted
	head  nodeMark
	marks *streamMarks // nil until needMarks
	// What producers have added; nil until one has. The numbers are those of the Limits at the
	// creation of the stream.
	producers                 *streamProducers
	idmpDuration, idmpMaxSize int32 // seconds, ids of a producer
	loose                     bool  // restored from a dump whose counters do not match its entries
}

// streamState is the part of a stream that an undo step restores as a whole.
type streamState struct {
	length     int
	last       StreamID // the greatest id ever given
	first      StreamID // of the first entry, 0-0 if there is none
	maxDeleted StreamID // the greatest id that XDEL removed
	added      uint64   // entries ever added
}

// Stream returns the stream of key, nil if there is no such key. The error is ErrWrongType.
func (db *DB) Stream(key string) (*Stream, error) { return object[*Stream](db, key) }

// StreamForWrite is Stream, but puts an empty stream under a missing key.
func (db *DB) StreamForWrite(key string) (*Stream, error) {
	s, err := db.Stream(key)
	if s == nil && err == nil {
		s = newStream(db.store)
		db.Put(key, s)
	}
	return s, err
}

func newStream(st *Store) *Stream {
	return &Stream{st: st, idmpDuration: int32(st.limits.StreamIDMPDuration), idmpMaxSize: int32(st.limits.StreamIDMPMaxSize)}
}

// Type returns TypeStream.
func (s *Stream) Type() Type { return TypeStream }

// Encoding is stream, the only encoding of streams.
func (s *Stream) Encoding() string { return "stream" }

// Len is the number of entries.
func (s *Stream) Len() int { return s.length }

// LastID is the greatest id that the stream has given to an entry, which may be deleted, or that
// SetID has set.
func (s *Stream) LastID() StreamID { return s.last }

// FirstID is the id of the first entry, 0-0 if there is none.
func (s *Stream) FirstID() StreamID { return s.first }

// MaxDeletedID is the greatest id that was deleted by Delete (not by Trim).
func (s *Stream) MaxDeletedID() StreamID { return s.maxDeleted }

// Added is the number of entries ever added.
func (s *Stream) Added() uint64 { return s.added }

// Nodes is the number of listpacks.
func (s *Stream) Nodes() int { return s.nodes.len() }

// SetID sets LastID, Added if added is not nil, and MaxDeletedID if maxDeleted is not 0-0. The
// caller must have checked that they fit the entries.
func (s *Stream) SetID(last StreamID, added *uint64, maxDeleted StreamID) {
	s.saveState()
	s.last = last
	if added != nil {
		s.added = *added
	}
	if !maxDeleted.IsZero() {
		s.maxDeleted = maxDeleted
	}
}

// saveState journals the streamState.
func (s *Stream) saveState() {
	if st := s.st; st.Recording() {
		old := s.streamState
		st.record(func() { s.streamState = old })
	}
}

// setNode stores a new or changed node. While the store is recording, a changed node must be a copy
// of the old one; see own.
func (s *Stream) setNode(master StreamID, lp listpack.List) {
	if st := s.st; st.Recording() {
		old, had := s.nodes.get(master)
		st.noteCopied(len(old))
		st.record(func() {
			s.forget()
			if had {
				s.putNode(master, old)
			} else {
				s.dropNode(master)
			}
		})
	}
	s.putNode(master, lp)
	s.st.mayBeLarge(s.nodes.len() >= aheadNodes)
}

// own returns a node that may be changed: a copy while the store is recording.
func (s *Stream) own(lp listpack.List) listpack.List {
	if s.st.Recording() {
		return lp.Clone()
	}
	return lp
}

func (s *Stream) removeNode(master StreamID) {
	old := s.dropNode(master)
	if st := s.st; st.Recording() {
		st.record(func() {
			s.forget()
			s.putNode(master, old)
		})
	}
}

func (s *Stream) clone() Object {
	c := &Stream{st: s.st, streamState: s.streamState, nodes: s.nodes.clone(listpack.List.Clone), loose: s.loose,
		producers: s.producers.clone(), idmpDuration: s.idmpDuration, idmpMaxSize: s.idmpMaxSize}
	c.groups = make([]*StreamGroup, len(s.groups))
	for i, g := range s.groups {
		c.groups[i] = g.clone(c)
	}
	c.bytes = c.countBytes()
	return c
}
