package datastore

import "github.com/redmoon-lua/redmoon/datastore/internal/listpack"

// quicklist cuts a list into the nodes that Redis's quicklist would have, had all elements been pushed at the tail.
type quicklist struct {
	fill      int // list-max-listpack-size: elements in a node, or -1..-5 for 4..64 KiB
	plainFrom int
	nodes     [][]byte // listpacks, or single elements
	plain     []bool
	lp        listpack.List // the node being filled
	count     int           // elements in lp
}

const (
	maxFill       = 32767
	entryOverhead = 8    // what a quicklist assumes an element to take beside its bytes
	safeNode      = 8192 // bytes of a node that is limited by its elements
)

// allows reports whether an element of size bytes still fits into the node.
func (q *quicklist) allows(size int) bool {
	if q.count == 0 {
		return false
	}
	total := len(q.lp) + size + entryOverhead
	if q.fill < 0 {
		return total <= 2048<<min(-q.fill, 5)
	}
	return total <= safeNode && q.count < min(q.fill, maxFill)
}

func (q *quicklist) push(el string) {
	if len(el) >= q.plainFrom {
		q.flush()
		q.nodes, q.plain = append(q.nodes, []byte(el)), append(q.plain, true)
		return
	}
	if !q.allows(len(el)) {
		q.flush()
		q.lp = listpack.New(0)
	}
	q.lp.Append(el)
	q.count++
}

// flush closes the node being filled.
func (q *quicklist) flush() {
	if q.count > 0 {
		q.nodes, q.plain = append(q.nodes, q.lp), append(q.plain, false)
		q.lp, q.count = nil, 0
	}
}

// quicklist is l as Redis keeps it.
func (l *List) quicklist(plainFrom int) *quicklist {
	if plainFrom <= 0 {
		plainFrom = defaultPlainFrom
	}
	q := &quicklist{fill: l.st.limits.ListMaxListpackSize, plainFrom: plainFrom}
	l.Ascend(0, func(_ int, el string) bool { q.push(el); return true })
	q.flush()
	return q
}

func (w *rdbWriter) list(l *List) {
	q := l.quicklist(w.opt.PlainFrom)
	w.length(uint64(len(q.nodes)))
	for i, node := range q.nodes {
		if q.plain[i] {
			w.length(nodePlain)
		} else {
			w.length(nodePacked)
		}
		w.blob(node)
	}
}

// Nodes tells how many nodes the list takes in a dump, and how many bytes they are before compression.
func (l *List) Nodes(opt DumpOptions) (nodes, bytes int) {
	q := l.quicklist(opt.PlainFrom)
	for _, node := range q.nodes {
		bytes += len(node)
	}
	return len(q.nodes), bytes
}
