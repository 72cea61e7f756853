package datastore

import (
	"fmt"
	"slices"
	"sort"
)

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

// partition returns the number of items for which before is true. Caller must know
// that before is true for a prefix of the sequence.
func (t *ztree) partition(before func(ZItem) bool) int {
	n, r := t.root, 0
	for d := 0; d < t.height-1; d++ {
		i := sort.Search(len(n.items)-1, func(i int) bool { return !before(n.items[i+1]) })
		for _, c := range n.counts[:i] {
			r += c
		}
		n = n.kids[i]
	}
	return r + sort.Search(len(n.items), func(i int) bool { return !before(n.items[i]) })
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

// cut removes up to n items from the place p leads to on, as far as its leaf goes, and tells
// how many. p is of no use afterwards.
func (t *ztree) cut(p *zpath, n int) int {
	d := t.height - 1
	leaf, i := p.nodes[d], p.idx[d]
	n = min(n, len(leaf.items)-i)
	leaf.items = slices.Delete(leaf.items, i, i+n)
	t.n -= n
	for u := range d {
		p.nodes[u].counts[p.idx[u]] -= n
	}
	for ; d > 0 && len(p.nodes[d].items) < zfanLow; d-- {
		if !p.nodes[d-1].shrink(p.idx[d-1]) {
			break
		}
	}
	for t.height > 1 && len(t.root.kids) == 1 {
		t.root = t.root.kids[0]
		t.height--
	}
	return n
}

// shrink drops kid i when it is empty, or merges it with a neighbour when they fit together. It
// reports whether n has lost a kid.
func (n *znode) shrink(i int) bool {
	switch k := len(n.kids[i].items); {
	case k == 0:
		n.drop(i)
	case i > 0 && k+len(n.kids[i-1].items) <= zfanMerged:
		n.merge(i - 1)
	case i+1 < len(n.kids) && k+len(n.kids[i+1].items) <= zfanMerged:
		n.merge(i)
	default:
		return false
	}
	return true
}

func (n *znode) drop(i int) {
	n.items = slices.Delete(n.items, i, i+1)
	n.kids = slices.Delete(n.kids, i, i+1)
	n.counts = slices.Delete(n.counts, i, i+1)
}

// merge moves everything of kid i+1 into kid i.
func (n *znode) merge(i int) {
	a, b := n.kids[i], n.kids[i+1]
	if b.kids != nil {
		b.items[0] = n.items[i+1]
	}
	a.items = append(a.items, b.items...)
	a.kids = append(a.kids, b.kids...)
	a.counts = append(a.counts, b.counts...)
	n.counts[i] += n.counts[i+1]
	n.drop(i + 1)
}

// replace gives the item that p leads to another score in place, when that keeps the order
// and the bounds of its leaf.
func (t *ztree) replace(p *zpath, score float64) bool {
	d := t.height - 1
	items, i := p.nodes[d].items, p.idx[d]
	it := ZItem{score, items[i].Member}
	if i > 0 && !items[i-1].before(it) || i == 0 && score < items[i].Score {
		return false
	}
	if i+1 < len(items) && !it.before(items[i+1]) || i+1 == len(items) && score > items[i].Score {
		return false
	}
	items[i] = it
	return true
}

// next moves p to the first item of the next leaf.
func (t *ztree) next(p *zpath) bool {
	for d := t.height - 2; d >= 0; d-- {
		if p.idx[d]+1 < len(p.nodes[d].kids) {
			p.idx[d]++
			for ; d < t.height-1; d++ {
				p.nodes[d+1], p.idx[d+1] = p.nodes[d].kids[p.idx[d]], 0
			}
			return true
		}
	}
	return false
}

// prev moves p to the last item of the leaf before.
func (t *ztree) prev(p *zpath) bool {
	for d := t.height - 2; d >= 0; d-- {
		if p.idx[d] > 0 {
			p.idx[d]--
			for ; d < t.height-1; d++ {
				n := p.nodes[d].kids[p.idx[d]]
				p.nodes[d+1], p.idx[d+1] = n, len(n.items)-1
			}
			return true
		}
	}
	return false
}

// ascend calls f for n items from rank on, until f returns false.
func (t *ztree) ascend(rank, n int, f func(ZItem) bool) {
	if n <= 0 || rank >= t.n {
		return
	}
	var p zpath
	t.seek(rank, &p)
	d := t.height - 1
	for {
		items := p.nodes[d].items[p.idx[d]:]
		for _, it := range items[:min(n, len(items))] {
			if !f(it) {
				return
			}
		}
		if n -= len(items); n <= 0 || !t.next(&p) {
			return
		}
	}
}

// descend calls f for n items from rank downwards, until f returns false.
func (t *ztree) descend(rank, n int, f func(ZItem) bool) {
	if n <= 0 || rank < 0 || t.n == 0 {
		return
	}
	var p zpath
	t.seek(rank, &p)
	d := t.height - 1
	for {
		items := p.nodes[d].items
		for i := p.idx[d]; i >= 0 && n > 0; i, n = i-1, n-1 {
			if !f(items[i]) {
				return
			}
		}
		if n == 0 || !t.prev(&p) {
			return
		}
	}
}

// check verifies the tree's invariants.
func (t *ztree) check() error {
	n, err := t.root.check(t.height)
	if err == nil && n != t.n {
		err = fmt.Errorf("zset tree: %d items, %d counted", n, t.n)
	}
	if err != nil {
		return err
	}
	var last *ZItem
	t.ascend(0, t.n, func(it ZItem) bool {
		if last != nil && !last.before(it) {
			err = fmt.Errorf("zset tree: %v before %v", *last, it)
		}
		last = &it
		return err == nil
	})
	return err
}

func (n *znode) check(height int) (count int, err error) {
	if len(n.items) > zfan {
		return 0, fmt.Errorf("zset tree: node of %d", len(n.items))
	}
	if height == 1 {
		if n.kids != nil {
			return 0, fmt.Errorf("zset tree: leaf with kids")
		}
		return len(n.items), nil
	}
	if len(n.kids) != len(n.items) || len(n.kids) != len(n.counts) || len(n.kids) == 0 {
		return 0, fmt.Errorf("zset tree: node of %d kids, %d separators, %d counts", len(n.kids), len(n.items), len(n.counts))
	}
	for i, k := range n.kids {
		c, err := k.check(height - 1)
		if err != nil {
			return 0, err
		}
		if c != n.counts[i] || c == 0 {
			return 0, fmt.Errorf("zset tree: %d items where %d are counted", c, n.counts[i])
		}
		if i > 0 && (k.first(height-1).before(n.items[i]) || !n.kids[i-1].last(height-1).before(n.items[i])) {
			return 0, fmt.Errorf("zset tree: separator %v out of place", n.items[i])
		}
		count += c
	}
	return count, nil
}

func (n *znode) first(height int) ZItem {
	for ; height > 1; height-- {
		n = n.kids[0]
	}
	return n.items[0]
}

func (n *znode) last(height int) ZItem {
	for ; height > 1; height-- {
		n = n.kids[len(n.kids)-1]
	}
	return n.items[len(n.items)-1]
}
