package datastore

import (
	"github.com/redmoon-lua/redmoon/datastore/internal/listpack"
	"github.com/redmoon-lua/redmoon/datastore/internal/lzf"
	"github.com/redmoon-lua/redmoon/datastore/internal/ziplist"
)

// list writes the nodes. Those that Redis keeps compressed are written compressed, whatever the
// options say.
func (w *rdbWriter) list(l *List) {
	n, depth := l.nodes.len(), int(l.depth)
	w.Length(uint64(n))
	for k, c := range l.nodes.items() {
		var b []byte
		if c.plain {
			w.Length(nodePlain)
			b = []byte(c.text)
		} else {
			w.Length(nodePacked)
			b = c.lp()
		}
		inside := depth > 0 && k >= depth && k < n-depth
		if !inside || !w.compressedNode(b) {
			w.Blob(b)
		}
	}
}

const (
	leastCompressed = 48 // bytes from which a quicklist compresses a node
	leastGain       = 8  // a compressed node must be shorter by more than these bytes
)

// compressedNode writes a node if a quicklist would compress it, and reports whether it did.
func (w *rdbWriter) compressedNode(b []byte) bool {
	if len(b) < leastCompressed {
		return false
	}
	z := lzf.Compress(b, len(b))
	if z == nil || len(z)+leastGain >= len(b) {
		return false
	}
	w.Packed(z, len(b))
	return true
}

// settled returns a list that has been read, in its form.
func settled(l *List) Object {
	l.Settle()
	return l
}

// listOf returns a list with els pushed to its end.
func (r *rdbReader) listOf(els []string) *List {
	l := r.st.newList()
	for _, el := range els {
		l.pushBack(el)
	}
	return l
}

// list reads a sequence of strings.
func (r *rdbReader) list() *List {
	l := r.st.newList()
	for n := r.Length(); n > 0 && !r.Bad; n-- {
		l.pushBack(r.Text())
	}
	return l
}

// quicklist reads a sequence of nodes and keeps them as the nodes of the list, except empty ones.
// Ziplists become listpacks.
func (r *rdbReader) quicklist(kind byte) *List {
	l := r.st.newList()
	for n := r.Length(); n > 0 && !r.Bad; n-- {
		container := uint64(nodePacked)
		if kind == rdbQuicklist2 {
			container = r.Length()
		}
		b := r.Blob()
		switch {
		case container != nodePacked && container != nodePlain, len(b) == 0:
			r.Fail()
		case container == nodePlain:
			l.attachBack(newPlainNode(string(b)))
		case kind == rdbQuicklist2:
			r.packedNode(l, b)
		default:
			r.ziplistNode(l, b)
		}
	}
	return l
}

// packedNode appends a listpack, unchanged, as a node of the list.
func (r *rdbReader) packedNode(l *List, b []byte) {
	if listpack.Validate(b, true) != nil {
		r.Fail()
		return
	}
	if n := listpack.List(b).Len(); n > 0 {
		l.attachBack(newListNode(b[lpHeader:len(b)-1], n))
		l.restored = true
	}
}

func (r *rdbReader) ziplistNode(l *List, b []byte) {
	els, err := ziplist.Texts(b)
	if err != nil {
		r.Fail()
		return
	}
	var raw []byte
	for _, el := range els {
		raw = listpack.AppendText(raw, el)
	}
	if len(els) > 0 {
		l.attachBack(newListNode(raw, len(els)))
	}
}
