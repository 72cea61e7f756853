package ztree

import (
	"math"
	"unsafe"
)

// Item is an element of a tree: a member and its score.
type Item struct {
	Score  float64 // never NaN
	Member string
}

// Before is the order of sorted sets: by score, then by the bytes of the members.
func (a Item) Before(b Item) bool {
	if a.Score != b.Score {
		return a.Score < b.Score
	}
	return a.Member < b.Member
}

// Tree is a counted B+tree of ZItems: an ordered sequence in which the rank of an element, and the
// element with a rank, are found in O(log n).
//
// Invariants: all leaves are at depth height-1; no node except an empty root is empty; counts[i] of
// an inner node is the number of items below kids[i]; entry i of an inner node is, for i > 0,
// greater than all items below kids[i-1] and not greater than any item below kids[i] (entry 0 has
// the score -Inf).
//
// A node that shrinks below a quarter is merged with a neighbour if both fit into three quarters of
// a node. A full last leaf is not split in half but followed by a new one, so that ascending
// inserts leave full leaves.
type Tree struct {
	root   nodeRef
	height int // levels; 1: the root is a leaf
	n      int
	leaves int       // number of leaves
	inners int       // number of inner nodes
	spare  *leafNode // a leaf that has become empty, for reuse, or nil
}

// nodeRef points to a node of either kind: a *leafNode at the lowest level of the tree, a
// *innerNode above it.
type nodeRef struct{ p unsafe.Pointer }

func (n nodeRef) leaf() *leafNode   { return (*leafNode)(n.p) }
func (n nodeRef) inner() *innerNode { return (*innerNode)(n.p) }

func nodeOf[N leafNode | innerNode](n *N) nodeRef { return nodeRef{unsafe.Pointer(n)} }

const (
	lineScores = 8 // scores in a cache line
	// two neighbours have more than 78 kids together, so this is enough for more items than an
	// int32 counts
	maxHeight = 10
)

// Len returns the number of items.
func (t *Tree) Len() int { return t.n }

// Height returns the number of levels; 1 is a single leaf.
func (t *Tree) Height() int { return t.height }

// Bytes returns the size of the tree in bytes, without the strings of the members.
func (t *Tree) Bytes() int {
	return int(unsafe.Sizeof(*t)) + t.leaves*int(unsafe.Sizeof(leafNode{})) + t.inners*int(unsafe.Sizeof(innerNode{}))
}

// Path is the path from the root to an item: the kid taken at each inner level, and the leaf and
// the position in it.
type Path struct {
	nodes [maxHeight]*innerNode
	idx   [maxHeight]int
	leaf  *leafNode
	at    int
}

// New returns an empty tree.
func New() *Tree { return &Tree{root: nodeOf(newLeafNode()), height: 1, leaves: 1} }

// find sets p to the path to the place where it, which is not in the tree, would be inserted.
func (t *Tree) find(it Item, p *Path) {
	if t.findEnd(it, p) {
		return
	}
	t.findLeaf(it, p)
	p.at = p.leaf.search(it)
}

// findEnd is find for an item after all others, the usual case if scores are times. It reports
// false if the item does not belong there.
func (t *Tree) findEnd(it Item, p *Path) bool {
	n := t.root
	for d := range t.height - 1 {
		in := n.inner()
		p.nodes[d], p.idx[d] = in, in.n-1
		n = in.kids[in.n-1]
	}
	p.leaf, p.at = n.leaf(), n.leaf().n
	return p.at > 0 && p.leaf.item(p.at-1).Before(it)
}

// Locate sets p to the path to it, which is in the tree.
func (t *Tree) Locate(it Item, p *Path) {
	t.findLeaf(it, p)
	p.at = p.leaf.place(it)
}

func (t *Tree) findLeaf(it Item, p *Path) {
	n := t.root
	for d := range t.height - 1 {
		in := n.inner()
		i := in.search(it)
		p.nodes[d], p.idx[d] = in, i
		n = in.kids[i]
	}
	p.leaf = n.leaf()
}

// Item returns the item that p leads to.
func (p *Path) Item() Item { return p.leaf.item(p.at) }

// Seek sets p to the path to the item with that rank, 0 <= rank < t.n.
func (t *Tree) Seek(rank int, p *Path) {
	n := t.root
	for d := range t.height - 1 {
		in := n.inner()
		i, before := in.seek(rank)
		rank -= before
		p.nodes[d], p.idx[d] = in, i
		n = in.kids[i]
	}
	p.leaf, p.at = n.leaf(), rank
}

// Rank returns the number of items before the place that p leads to.
func (t *Tree) Rank(p *Path) int {
	r := p.at
	for d := range t.height - 1 {
		r += p.nodes[d].before(p.idx[d])
	}
	return r
}

// add adds n to the counts of the inner nodes of p, whose leaf has n more items.
func (t *Tree) add(p *Path, n int) {
	t.n += n
	for d := range t.height - 1 {
		p.nodes[d].add(p.idx[d], n)
	}
}

// Insert adds an item that is not in the tree.
func (t *Tree) Insert(it Item) {
	var p Path
	t.find(it, &p)
	t.add(&p, 1)
	leaf, i := p.leaf, p.at
	if leaf.n < leafFan {
		leaf.insert(i, it)
		return
	}
	at := leafFan / 2
	ascending := i == leafFan && t.last(&p)
	if ascending {
		at = leafFan
	}
	right := t.newLeaf()
	t.leaves++
	leaf.moveTail(at, right)
	if i >= at {
		right.insert(i-at, it)
	} else {
		leaf.insert(i, it)
	}
	t.grow(&p, entry{right.item(0), nodeOf(right), int32(right.n)}, ascending)
}

func (t *Tree) newLeaf() (n *leafNode) {
	if n, t.spare = t.spare, nil; n == nil {
		n = newLeafNode()
	}
	return n
}

// last reports whether p leads through the last kid at every level.
func (t *Tree) last(p *Path) bool {
	for d := range t.height - 1 {
		if p.idx[d] != p.nodes[d].n-1 {
			return false
		}
	}
	return true
}

// grow inserts right, which has been split off the leaf of p, after that leaf. ascending says that
// the insert was at the very end of the tree.
func (t *Tree) grow(p *Path, right entry, ascending bool) {
	for d := t.height - 2; d >= 0; d-- {
		n, i := p.nodes[d], p.idx[d]
		n.add(i, -int(right.count))
		if n.n < innerFan {
			n.insert(i+1, right)
			return
		}
		at := innerFan / 2
		if ascending {
			at = innerFan
		}
		next := newInnerNode()
		t.inners++
		n.moveTail(at, next)
		if i+1 > at || i+1 == innerFan {
			next.insert(i+1-at, right)
		} else {
			n.insert(i+1, right)
		}
		right = entry{next.item(0), nodeOf(next), int32(next.before(next.n))}
		next.scores[0] = math.Inf(-1)
	}
	root := newInnerNode()
	t.inners++
	root.insert(0, entry{Item: Item{Score: math.Inf(-1)}, kid: t.root, count: int32(t.n) - right.count})
	root.insert(1, right)
	t.root = nodeOf(root)
	t.height++
}

// below returns how many of scores, which are sorted, are below score. It compares all of them,
// because that needs no branch, which would often be mispredicted.
func below(scores []float64, score float64) (n int) {
	for _, s := range scores {
		less := 0
		if s < score {
			less = 1
		}
		n += less
	}
	return n
}

// noScores fills scores with +Inf, which marks unused places.
func noScores(scores []float64) {
	for i := range scores {
		scores[i] = math.Inf(1)
	}
}
