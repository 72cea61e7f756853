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
// has more than zfan entries; counts[i] is the number of items below kids[i]; entry i of an
// inner node is, for i > 0, greater than everything below kids[i-1] and not greater
// than anything below kids[i] (entry 0 means nothing).
//
// A node that shrinks below a quarter is merged with a neighbour when both fit into three quarters
// of a node; a full last leaf is not halved but followed by a new one, so that ascending inserts
// leave full leaves behind.
type ztree struct {
	root   *znode
	height int // levels; 1 is a lone leaf
	n      int
	leaves int // nodes that are leaves
	inners int // and those that are not
}

// znode is a node: of a leaf the entries are the elements, of an inner node the separators. The scores lie together, in
// one piece of memory with the rest: in a large tree the time goes to waiting for memory, and a search that reads eight lines
// of it one after the other waits once.
type znode struct {
	n       int
	kids    []*znode // nil in a leaf
	counts  []int32
	scores  [zfan]float64
	members [zfan]string
}

const (
	zfan       = 61 // a leaf takes 1,520 bytes, of 1,536 that Go allocates
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

func newZTree() *ztree { return &ztree{root: &znode{}, height: 1, leaves: 1} }

// zinner is an inner node with the room of its kids and counts, so that all of it lies together.
type zinner struct {
	znode
	kidRoom   [zfan + 1]*znode
	countRoom [zfan + 1]int32
}

func newZInner() *znode {
	n := &zinner{}
	n.kids, n.counts = n.kidRoom[:0], n.countRoom[:0]
	return &n.znode
}

// item is entry i.
func (n *znode) item(i int) ZItem { return ZItem{n.scores[i], n.members[i]} }

// find fills p with the way to it, or to the place where it would be inserted.
func (t *ztree) find(it ZItem, p *zpath) (found bool) {
	n := t.root
	for d := 0; d < t.height-1; d++ {
		i := n.search(1, it)
		if i == n.n || n.scores[i] != it.Score || n.members[i] != it.Member {
			i-- // below the separator before
		}
		p.nodes[d], p.idx[d] = n, i
		n = n.kids[i]
	}
	i := n.search(0, it)
	p.nodes[t.height-1], p.idx[t.height-1] = n, i
	return i < n.n && n.scores[i] == it.Score && n.members[i] == it.Member
}

// search returns the first place from from on whose entry is not before it.
func (n *znode) search(from int, it ZItem) int {
	lo := n.searchScore(from, it.Score)
	if lo == n.n || n.scores[lo] != it.Score {
		return lo
	}
	hi := lo + 1
	for hi < n.n && n.scores[hi] == it.Score {
		hi++
	}
	for lo < hi {
		if m := int(uint(lo+hi) >> 1); n.members[m] < it.Member {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// searchScore returns the first place from from on whose score is not below score.
func (n *znode) searchScore(from int, score float64) int {
	i := from
	for i+8 <= n.n && n.scores[i+7] < score {
		i += 8
	}
	for i < n.n && n.scores[i] < score {
		i++
	}
	return i
}

// at is the item that p leads to.
func (t *ztree) at(p *zpath) ZItem { return p.nodes[t.height-1].item(p.idx[t.height-1]) }

// seek fills p with the way to the item of a rank, 0 <= rank < t.n.
func (t *ztree) seek(rank int, p *zpath) {
	n := t.root
	for d := 0; d < t.height-1; d++ {
		i := 0
		for rank >= int(n.counts[i]) {
			rank -= int(n.counts[i])
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
		r += sum(p.nodes[d].counts[:p.idx[d]])
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
	if leaf.n < zfan {
		leaf.insert(i, it)
		return
	}
	at := zfan / 2
	if i == zfan && t.last(&p) {
		at = zfan
	}
	right := &znode{}
	t.leaves++
	leaf.moveTail(at, right)
	if i >= at {
		right.insert(i-at, it)
	} else {
		leaf.insert(i, it)
	}
	t.grow(&p, d, right, at == zfan)
}

// insert makes it entry i. Caller must know that there is room.
func (n *znode) insert(i int, it ZItem) {
	copy(n.scores[i+1:n.n+1], n.scores[i:n.n])
	copy(n.members[i+1:n.n+1], n.members[i:n.n])
	n.scores[i], n.members[i] = it.Score, it.Member
	n.n++
}

// delete removes k entries from i on.
func (n *znode) delete(i, k int) {
	copy(n.scores[i:], n.scores[i+k:n.n])
	copy(n.members[i:], n.members[i+k:n.n])
	clear(n.members[n.n-k : n.n])
	n.n -= k
}

// moveTail moves the entries from at on behind those of to.
func (n *znode) moveTail(at int, to *znode) {
	copy(to.scores[to.n:], n.scores[at:n.n])
	copy(to.members[to.n:], n.members[at:n.n])
	to.n += n.n - at
	clear(n.members[at:n.n])
	n.n = at
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
	sep, count := right.item(0), right.n
	for d--; d >= 0; d-- {
		n, i := p.nodes[d], p.idx[d]
		n.counts[i] -= int32(count)
		if n.n < zfan {
			n.hang(i+1, sep, right, count)
			return
		}
		at := zfan / 2
		if ascending {
			at = zfan
		}
		next := newZInner()
		t.inners++
		n.moveTail(at, next)
		next.kids, next.counts = append(next.kids, n.kids[at:]...), append(next.counts, n.counts[at:]...)
		clear(n.kids[at:])
		n.kids, n.counts = n.kids[:at], n.counts[:at]
		if i+1 > at || i+1 == zfan {
			next.hang(i+1-at, sep, right, count)
		} else {
			n.hang(i+1, sep, right, count)
		}
		right, sep, count = next, next.item(0), sum(next.counts)
	}
	left := t.root
	t.root = newZInner()
	t.inners++
	t.root.hang(0, ZItem{}, left, t.n-count)
	t.root.hang(1, sep, right, count)
	t.height++
}

// hang makes kid, with count items below it, kid i, behind the separator sep.
func (n *znode) hang(i int, sep ZItem, kid *znode, count int) {
	n.insert(i, sep)
	n.kids = slices.Insert(n.kids, i, kid)
	n.counts = slices.Insert(n.counts, i, int32(count))
}

func sum(counts []int32) (n int) {
	for _, c := range counts {
		n += int(c)
	}
	return n
}
