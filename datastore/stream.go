package datastore

import "github.com/redmoon-lua/redmoon/datastore/internal/listpack"

// Stream is an append-only log of entries, each a list of fields and values under a [StreamID], with the
// consumer groups that read it. The entries are kept as Redis keeps them: in listpacks (nodes),
// found by the id of the first entry that was put into each; stream_node.go tells their layout.
//
// A stream may be empty: its key stays until it is deleted.
type Stream struct {
	st *Store
	streamState
	nodes  idIndex[listpack.List]
	groups []*StreamGroup // by name
	bytes  int            // of the nodes, groups and marks, by the rules of stream_bytes.go
	head   nodeMark       // its found is the first entry; those before it in the node are deleted
	marks  *streamMarks   // nil until there are some
	loose  bool           // it was restored from a dump whose numbers are not those of its entries
}

// streamState is what an undo step of a stream restores as a whole.
type streamState struct {
	length     int
	last       StreamID // the greatest id ever given
	first      StreamID // of the first entry, 0-0 when there is none
	maxDeleted StreamID // the greatest id that XDEL removed
	added      uint64   // entries ever added
}

// Stream returns the stream of key, nil when there is no such key, ErrWrongType when it holds
// another type.
func (db *DB) Stream(key string) (*Stream, error) { return object[*Stream](db, key) }

// StreamForWrite is Stream that puts an empty stream under a missing key.
func (db *DB) StreamForWrite(key string) (*Stream, error) {
	s, err := db.Stream(key)
	if s == nil && err == nil {
		s = &Stream{st: db.store}
		db.Put(key, s)
	}
	return s, err
}

// Type returns TypeStream.
func (s *Stream) Type() Type { return TypeStream }

// Encoding is stream, the only one.
func (s *Stream) Encoding() string { return "stream" }

// Len is the number of entries.
func (s *Stream) Len() int { return s.length }

// LastID is the greatest id that the stream has given or was told, be its entry there or not.
func (s *Stream) LastID() StreamID { return s.last }

// FirstID is the id of the first entry, 0-0 when there is none.
func (s *Stream) FirstID() StreamID { return s.first }

// MaxDeletedID is the greatest id that was deleted other than by trimming.
func (s *Stream) MaxDeletedID() StreamID { return s.maxDeleted }

// Added is the number of entries ever added.
func (s *Stream) Added() uint64 { return s.added }

// Nodes is the number of listpacks.
func (s *Stream) Nodes() int { return s.nodes.len() }

// SetID sets the greatest id and, where given, the entries ever added and the greatest deleted id. Caller
// has checked them.
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

// saveState journals the numbers of the stream.
func (s *Stream) saveState() {
	if st := s.st; st.Recording() {
		old := s.streamState
		st.record(func() { s.streamState = old })
	}
}

// setNode puts a node, new or changed, into its place. A node that may be undone must be a copy of the
// old one: see own.
func (s *Stream) setNode(master StreamID, lp listpack.List) {
	if st := s.st; st.Recording() {
		old, had := s.nodes.get(master)
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

// own returns a node that may be changed: a copy while changes are journaled.
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
	c := &Stream{st: s.st, streamState: s.streamState, nodes: s.nodes.clone(listpack.List.Clone), loose: s.loose}
	c.groups = make([]*StreamGroup, len(s.groups))
	for i, g := range s.groups {
		c.groups[i] = g.clone(c)
	}
	c.bytes = c.countBytes()
	return c
}
