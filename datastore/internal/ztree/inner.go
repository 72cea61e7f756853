package ztree

import "math"

// innerNode is an inner node: its separators, its kids (the nodes of the level below) and the
// number of items below each kid. As in a leaf, a search reads few cache lines.
type innerNode struct {
	heads   [innerFan/lineScores - 1]float64 // heads[g-1] is scores[g*lineScores], +Inf if unused
	n       int
	_       [2]uint64
	sums    [innerFan / lineScores]int32 // sums[g] is the sum of the counts of group g
	_       [3]uint32
	scores  [innerFan]float64 // +Inf after the last
	kids    [innerFan]nodeRef
	counts  [innerFan]int32
	members [innerFan]string
}

const (
	innerFan    = 104 // an inner node is 3,928 bytes; Go allocates 4,096, a page
	innerLow    = innerFan / 4
	innerMerged = innerFan * 3 / 4
)

// entry is an entry of an inner node.
type entry struct {
	Item  // the separator
	kid   nodeRef
	count int32
}

func newInnerNode() *innerNode {
	n := &innerNode{}
	noScores(n.heads[:])
	noScores(n.scores[:])
	return n
}

// item is separator i.
func (n *innerNode) item(i int) Item { return Item{n.scores[i], n.members[i]} }

// search returns the index of the kid below which it is, or would be inserted.
func (n *innerNode) search(it Item) int {
	lo := n.searchScore(it.Score)
	if lo == n.n || n.scores[lo] != it.Score {
		return lo - 1
	}
	for hi := n.n; lo < hi; {
		if m := int(uint(lo+hi) >> 1); n.scores[m] == it.Score && n.members[m] <= it.Member {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo - 1
}

// searchScore returns the index of the first separator whose score is not below score.
func (n *innerNode) searchScore(score float64) int {
	i := n.group(score)
	return max(i+below(n.scores[i:i+lineScores], score), 1)
}

// group returns the index of the first of the lineScores scores among which searchScore ends.
func (n *innerNode) group(score float64) int { return below(n.heads[:], score) * lineScores }

// seek returns the index of the kid below which the item with that rank is, and the number of items
// below the kids before it.
func (n *innerNode) seek(rank int) (i, before int) {
	for rank >= before+int(n.sums[i/lineScores]) {
		before += int(n.sums[i/lineScores])
		i += lineScores
	}
	for rank >= before+int(n.counts[i]) {
		before += int(n.counts[i])
		i++
	}
	return i, before
}

// before returns the number of items below the kids before kid i.
func (n *innerNode) before(i int) (sum int) {
	g := i / lineScores
	for _, c := range n.sums[:g] {
		sum += int(c)
	}
	for _, c := range n.counts[g*lineScores : i] {
		sum += int(c)
	}
	return sum
}

// add adds k to the number of items below kid i.
func (n *innerNode) add(i, k int) {
	n.counts[i] += int32(k)
	n.sums[i/lineScores] += int32(k)
}

// updateHeads recomputes heads and sums from entry i on. was is the greatest number of entries
// since they were last computed.
func (n *innerNode) updateHeads(i, was int) {
	for g := i / lineScores; g*lineScores < max(n.n, was); g++ {
		from := g * lineScores
		sum := int32(0)
		for _, c := range n.counts[from:min(from+lineScores, max(n.n, from))] {
			sum += c
		}
		n.sums[g] = sum
		if g > 0 {
			n.heads[g-1] = n.scores[from]
		}
	}
}

// insert inserts e as entry i. The node must not be full.
func (n *innerNode) insert(i int, e entry) {
	copy(n.scores[i+1:n.n+1], n.scores[i:n.n])
	copy(n.counts[i+1:n.n+1], n.counts[i:n.n])
	copy(n.kids[i+1:n.n+1], n.kids[i:n.n])
	copy(n.members[i+1:n.n+1], n.members[i:n.n])
	n.scores[i], n.counts[i], n.kids[i], n.members[i] = e.Score, e.count, e.kid, e.Member
	n.n++
	n.updateHeads(i, n.n)
}

// drop removes entry i.
func (n *innerNode) drop(i int) {
	was := n.n
	copy(n.scores[i:], n.scores[i+1:n.n])
	copy(n.counts[i:], n.counts[i+1:n.n])
	copy(n.kids[i:], n.kids[i+1:n.n])
	copy(n.members[i:], n.members[i+1:n.n])
	n.n--
	n.scores[n.n], n.kids[n.n], n.members[n.n] = math.Inf(1), nodeRef{}, ""
	if i == 0 && n.n > 0 {
		n.scores[0] = math.Inf(-1)
	}
	n.updateHeads(i, was)
}

// moveTail moves the entries from at on to the end of to.
func (n *innerNode) moveTail(at int, to *innerNode) {
	was, from := n.n, to.n
	copy(to.scores[to.n:], n.scores[at:n.n])
	copy(to.counts[to.n:], n.counts[at:n.n])
	copy(to.kids[to.n:], n.kids[at:n.n])
	copy(to.members[to.n:], n.members[at:n.n])
	to.n += n.n - at
	noScores(n.scores[at:n.n])
	clear(n.kids[at:n.n])
	clear(n.members[at:n.n])
	n.n = at
	n.updateHeads(at, was)
	to.updateHeads(from, to.n)
}

// shrunkLeaf handles kid i, a leaf that has lost items: it drops the leaf if it is empty, or merges
// it with a neighbour if they fit together. It reports whether n has lost a kid.
func (n *innerNode) shrunkLeaf(i int) bool {
	switch k := n.kids[i].leaf().n; {
	case k == 0:
		n.drop(i)
	case i > 0 && k+n.kids[i-1].leaf().n <= leafMerged:
		n.mergeLeaves(i - 1)
	case i+1 < n.n && k+n.kids[i+1].leaf().n <= leafMerged:
		n.mergeLeaves(i)
	default:
		return false
	}
	return true
}

// shrunkInner is shrunkLeaf for kids that are inner nodes.
func (n *innerNode) shrunkInner(i int) bool {
	switch k := n.kids[i].inner().n; {
	case k == 0:
		n.drop(i)
	case i > 0 && k+n.kids[i-1].inner().n <= innerMerged:
		n.mergeInners(i - 1)
	case i+1 < n.n && k+n.kids[i+1].inner().n <= innerMerged:
		n.mergeInners(i)
	default:
		return false
	}
	return true
}

// mergeLeaves moves everything of kid i+1 into kid i.
func (n *innerNode) mergeLeaves(i int) {
	n.kids[i+1].leaf().moveTail(0, n.kids[i].leaf())
	n.merged(i)
}

// mergeInners is mergeLeaves for kids that are inner nodes.
func (n *innerNode) mergeInners(i int) {
	b := n.kids[i+1].inner()
	b.scores[0], b.members[0] = n.scores[i+1], n.members[i+1]
	b.moveTail(0, n.kids[i].inner())
	n.merged(i)
}

// merged adds the count of kid i+1 to kid i, with which it has been merged, and drops entry i+1.
func (n *innerNode) merged(i int) {
	n.add(i, int(n.counts[i+1]))
	n.drop(i + 1)
}
