package ztree

// leafNode is a leaf: sorted items.
//
// In a large tree most time is spent on cache misses. A search therefore reads only two cache
// lines: the first, with heads, and the one of scores that heads selects. The sizes here include
// the 8 bytes that Go keeps before an object of this size.
type leafNode struct {
	heads   [leafGroups - 1]float64 // heads[g-1] is scores[g*lineScores], +Inf where there is none
	n       int
	_       [3]uint64
	scores  [leafGroups * lineScores]float64 // +Inf after the last
	members [leafFan]string
}

const (
	leafFan    = 28 // a leaf is 760 bytes; Go allocates 768
	leafGroups = (leafFan + lineScores - 1) / lineScores
	leafLow    = leafFan / 4
	leafMerged = leafFan * 3 / 4
)

func newLeafNode() *leafNode {
	n := &leafNode{}
	noScores(n.heads[:])
	noScores(n.scores[:])
	return n
}

// item returns item i.
func (n *leafNode) item(i int) Item { return Item{n.scores[i], n.members[i]} }

// search returns the index of the first item that is not before it.
func (n *leafNode) search(it Item) int {
	lo := n.searchScore(it.Score)
	if lo == n.n || n.scores[lo] != it.Score {
		return lo
	}
	for hi := n.n; lo < hi; {
		if m := int(uint(lo+hi) >> 1); n.scores[m] == it.Score && n.members[m] < it.Member {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// place returns the index of it, which is in the leaf. It reads members only if scores are equal.
func (n *leafNode) place(it Item) int {
	if i := n.searchScore(it.Score); n.scores[i+1] != it.Score {
		return i
	}
	return n.search(it)
}

// searchScore returns the index of the first score that is not below score.
func (n *leafNode) searchScore(score float64) int {
	i := n.group(score)
	return i + below(n.scores[i:i+lineScores], score)
}

// group returns the place of the scores, as many as a line of memory holds, among which searchScore
// ends.
func (n *leafNode) group(score float64) int { return below(n.heads[:], score) * lineScores }

// updateHeads recomputes heads from item i on.
func (n *leafNode) updateHeads(i int) {
	for g := (i + lineScores - 1) / lineScores; g < leafGroups; g++ {
		if g > 0 {
			n.heads[g-1] = n.scores[g*lineScores]
		}
	}
}

// insert inserts it as item i. The leaf must not be full.
func (n *leafNode) insert(i int, it Item) {
	copy(n.scores[i+1:n.n+1], n.scores[i:n.n])
	copy(n.members[i+1:n.n+1], n.members[i:n.n])
	n.scores[i], n.members[i] = it.Score, it.Member
	n.n++
	n.updateHeads(i)
}

// delete removes k items from i on.
func (n *leafNode) delete(i, k int) {
	copy(n.scores[i:], n.scores[i+k:n.n])
	copy(n.members[i:], n.members[i+k:n.n])
	clear(n.members[n.n-k : n.n])
	noScores(n.scores[n.n-k : n.n])
	n.n -= k
	n.updateHeads(i)
}

// moveTail moves the items from at on to the end of to.
func (n *leafNode) moveTail(at int, to *leafNode) {
	from := to.n
	copy(to.scores[to.n:], n.scores[at:n.n])
	copy(to.members[to.n:], n.members[at:n.n])
	to.n += n.n - at
	clear(n.members[at:n.n])
	noScores(n.scores[at:n.n])
	n.n = at
	n.updateHeads(at)
	to.updateHeads(from)
}

// replace changes the score of item i in place, if that keeps the order and the bounds of the leaf.
// It reports whether it did.
func (n *leafNode) replace(i int, score float64) bool {
	it := Item{score, n.members[i]}
	if i > 0 && !n.item(i-1).Before(it) || i == 0 && score < n.scores[i] {
		return false
	}
	if i+1 < n.n && !it.Before(n.item(i+1)) || i+1 == n.n && score > n.scores[i] {
		return false
	}
	n.scores[i] = score
	n.updateHeads(i)
	return true
}
