package datastore

import "slices"

// ZItem is one element of a sorted set.
type ZItem struct {
	Score  float64 // never NaN
	Member string
}

// before is the order of sorted sets: by score, equal scores by the members' bytes.
func (a ZItem) before(b ZItem) bool {
	if a.Score != b.Score {
		return a.Score < b.Score
	}
	return a.Member < b.Member
}

// ztree is a counted B+tree of ZItems: an ordered sequence in which an element's rank, and
// the element of a rank, are found in O(log n).
//
// Invariants: all leaves are at depth height-1; no node but an empty root is empty; no node
// has more than zfan entries; counts[i] is the number of items below kids[i]; items[i] of an
// inner node is, for i > 0, greater than everything below kids[i-1] and not greater
// than anything below kids[i] (items[0] means nothing).
//
// A node that shrinks below a quarter is merged with a neighbour when both fit into three quarters
// of a node; a full last leaf is not halved but followed by a new one, so that ascending inserts
// leave full leaves behind.
type ztree struct {
	root   *znode
	height int // levels; 1 is a lone leaf
	n      int
}

type znode struct {
	items  []ZItem  // of a leaf the elements, of an inner node the separators
	kids   []*znode // nil in a leaf
	counts []int
}

const (
	zfan       = 64
	zfanLow    = zfan / 4
	zfanMerged = zfan * 3 / 4
	zmaxHeight = 16
)

// zpath is the way from the root to an item: the kid taken at each inner level,
// and the position in the leaf.
type zpath struct {
	nodes [zmaxHeight]*znode
	idx   [zmaxHeight]int
}

func newZTree() *ztree { return &ztree{root: newZLeaf(), height: 1} }

func newZLeaf() *znode { return &znode{items: make([]ZItem, 0, zfan)} }

// find fills p with the way to it, or to the place where it would be inserted.
func (t *ztree) find(it ZItem, p *zpath) (found bool) {
	n := t.root
	for d := 0; d < t.height-1; d++ {
		lo, hi := 1, len(n.items)
		for lo < hi {
			m := int(uint(lo+hi) >> 1)
			if it.before(n.items[m]) {
				hi = m
			} else {
				lo = m + 1
			}
		}
		p.nodes[d], p.idx[d] = n, lo-1
		n = n.kids[lo-1]
	}
	lo := searchItems(n.items, it)
	p.nodes[t.height-1], p.idx[t.height-1] = n, lo
	return lo < len(n.items) && n.items[lo] == it
}

// searchItems returns the number of items before it.
func searchItems(items []ZItem, it ZItem) int {
	lo, hi := 0, len(items)
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if items[m].before(it) {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// seek fills p with the way to the item of a rank, 0 <= rank < t.n.
func (t *ztree) seek(rank int, p *zpath) {
	n := t.root
	for d := 0; d < t.height-1; d++ {
		i := 0
		for rank >= n.counts[i] {
			rank -= n.counts[i]
			i++
		}
		p.nodes[d], p.idx[d] = n, i
		n = n.kids[i]
	}
	p.nodes[t.height-1], p.idx[t.height-1] = n, rank
}

// rank is the number of items before the place that p leads to.
func (t *ztree) rank(p *zpath) int {
	r := p.idx[t.height-1]
	for d := 0; d < t.height-1; d++ {
		for _, c := range p.nodes[d].counts[:p.idx[d]] {
			r += c
		}
	}
	return r
}

// insert adds an item that is not in the tree.
func (t *ztree) insert(it ZItem) {
	var p zpath
	t.find(it, &p)
	d := t.height - 1
	leaf, i := p.nodes[d], p.idx[d]
	t.n++
	for u := range d {
		p.nodes[u].counts[p.idx[u]]++
	}
	if len(leaf.items) < zfan {
		leaf.items = slices.Insert(leaf.items, i, it)
		return
	}
	at := zfan / 2
	if i == zfan && t.last(&p) {
		at = zfan
	}
	right := newZLeaf()
	right.items = append(right.items, leaf.items[at:]...)
	clear(leaf.items[at:])
	leaf.items = leaf.items[:at]
	if i >= at {
		right.items = slices.Insert(right.items, i-at, it)
	} else {
		leaf.items = slices.Insert(leaf.items, i, it)
	}
	t.grow(&p, d, right, at == zfan)
}

// last reports whether p leads through the last kid at every level.
func (t *ztree) last(p *zpath) bool {
	for d := 0; d < t.height-1; d++ {
		if p.idx[d] != len(p.nodes[d].kids)-1 {
			return false
		}
	}
	return true
}

// grow hangs right, a leaf split off the node at depth d of p, behind that node. ascending tells
// that the insert was at the very end.
func (t *ztree) grow(p *zpath, d int, right *znode, ascending bool) {
	sep, count := right.items[0], len(right.items)
	for d--; d >= 0; d-- {
		n, i := p.nodes[d], p.idx[d]
		n.counts[i] -= count
		n.items = slices.Insert(n.items, i+1, sep)
		n.kids = slices.Insert(n.kids, i+1, right)
		n.counts = slices.Insert(n.counts, i+1, count)
		if len(n.kids) <= zfan {
			return
		}
		at := len(n.kids) / 2
		if ascending {
			at = zfan
		}
		right = &znode{
			items:  append(make([]ZItem, 0, zfan+1), n.items[at:]...),
			kids:   append(make([]*znode, 0, zfan+1), n.kids[at:]...),
			counts: append(make([]int, 0, zfan+1), n.counts[at:]...),
		}
		sep, count = n.items[at], sum(right.counts)
		clear(n.items[at:])
		clear(n.kids[at:])
		n.items, n.kids, n.counts = n.items[:at], n.kids[:at], n.counts[:at]
	}
	left := t.root
	t.root = &znode{
		items:  append(make([]ZItem, 0, zfan+1), ZItem{}, sep),
		kids:   append(make([]*znode, 0, zfan+1), left, right),
		counts: append(make([]int, 0, zfan+1), t.n-count, count),
	}
	t.height++
}

func sum(counts []int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}
