package datastore

import "github.com/redmoon-lua/redmoon/datastore/internal/listpack"

// A node is a listpack that begins with the master entry:
//
//	count, deleted, number of fields, field ..., 0
//
// count is the number of entries that exist, deleted the number that are marked as deleted. The
// fields are those of the first entry. The entries follow:
//
//	flags, ms, seq, [number of fields], field, value ..., number of elements up to here
//
// ms and seq are differences to the node's id. An entry with the fields of the master entry omits
// the number of fields and the fields.
const (
	streamDeleted    = 1
	streamSameFields = 2
)

// streamMaxNode is the greatest size of a node, in bytes.
const streamMaxNode = 1 << 30

// nodeView reads a node.
type nodeView struct {
	lp      listpack.List
	master  StreamID
	nfields int
	field0  int      // position of the first master field, or of the 0 after them
	names   []string // the master fields, once read
	items   int      // position of the first entry, or None
}

func viewNode(master StreamID, lp listpack.List) (v nodeView) {
	v.lp, v.master = lp, master
	p := lp.Next(lp.Next(lp.First()))
	v.nfields = nodeInt(lp, p)
	v.field0 = lp.Next(p)
	p = v.field0
	for range v.nfields {
		p = lp.Next(p)
	}
	v.items = lp.Next(p)
	return v
}

func nodeInt(lp listpack.List, p int) int {
	n, _ := lp.Int(p)
	return int(n)
}

// nodeCounts returns the number of entries of a node, and of those marked as deleted.
func nodeCounts(lp listpack.List) (count, deleted int) {
	p := lp.First()
	return nodeInt(lp, p), nodeInt(lp, lp.Next(p))
}

// setNodeCounts writes the numbers that nodeCounts reads. It may move the rest of the node.
func setNodeCounts(lp *listpack.List, count, deleted int) {
	p := lp.First()
	lp.ReplaceInt(p, int64(count))
	lp.ReplaceInt(lp.Next(p), int64(deleted))
}

// fields returns the master fields.
func (v *nodeView) fields() []string {
	if v.names == nil {
		v.names = make([]string, v.nfields)
		p := v.field0
		for i := range v.names {
			v.names[i] = v.lp.Text(p)
			p = v.lp.Next(p)
		}
	}
	return v.names
}

// StreamEntry is an entry of a stream, valid until the next one is read.
type StreamEntry struct {
	ID    StreamID
	view  *nodeView
	flags int
	at    int // position of the flags
	n     int // number of fields
	data  int // position of the first field or, with streamSameFields, of the first value
}

// Fields is the number of fields.
func (e *StreamEntry) Fields() int { return e.n }

// AppendPairs appends field, value, field, value ... to dst.
func (e *StreamEntry) AppendPairs(dst []string) []string {
	lp, p := e.view.lp, e.data
	if e.flags&streamSameFields != 0 {
		for _, name := range e.view.fields() {
			dst = append(dst, name, lp.Text(p))
			p = lp.Next(p)
		}
		return dst
	}
	for range 2 * e.n {
		dst = append(dst, lp.Text(p))
		p = lp.Next(p)
	}
	return dst
}

// entry reads the entry whose flags are at p.
func (v *nodeView) entry(p int) (e StreamEntry) {
	lp := v.lp
	e.view, e.at, e.flags, e.n = v, p, nodeInt(lp, p), v.nfields
	p = lp.Next(p)
	ms, _ := lp.Int(p)
	p = lp.Next(p)
	seq, _ := lp.Int(p)
	p = lp.Next(p)
	e.ID = StreamID{v.master.Ms + uint64(ms), v.master.Seq + uint64(seq)}
	if e.flags&streamSameFields == 0 {
		e.n = nodeInt(lp, p)
		p = lp.Next(p)
	}
	e.data = p
	return e
}

// after returns the position of the entry after e, or None.
func (e *StreamEntry) after() int {
	n := e.n
	if e.flags&streamSameFields == 0 {
		n *= 2
	}
	lp, p := e.view.lp, e.data
	for ; n > 0; n-- {
		p = lp.Next(p)
	}
	return lp.Next(p)
}

// before returns the position of the entry before the one at p (or before lp.End), or None.
func (v *nodeView) before(p int) int {
	p = v.lp.Prev(p)
	n := nodeInt(v.lp, p)
	if n == 0 {
		return listpack.None // the end of the master entry
	}
	for range n {
		p = v.lp.Prev(p)
	}
	return p
}

// lastID returns the id of the last entry, deleted or not; 0-0 for a node without entries.
func (v *nodeView) lastID() StreamID {
	p := v.before(v.lp.End())
	if p == listpack.None {
		return StreamID{}
	}
	return v.entry(p).ID
}
