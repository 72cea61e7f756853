package datastore

import "math"

// zinner is an inner node: its separators, its kids (the nodes of the level below) and the number
// of items below each kid. As in a leaf, a search reads few cache lines.
type zinner struct {
	heads   [zfan/zgroup - 1]float64 // heads[g-1] is scores[g*zgroup], +Inf if unused
	n       int
	_       [2]uint64
	sums    [zfan / zgroup]int32 // sums[g] is the sum of the counts of group g
	_       [3]uint32
	scores  [zfan]float64 // +Inf after the last
	kids    [zfan]znode
	counts  [zfan]int32
	members [zfan]string
}

const (
	zfan       = 104 // an inner node is 3,928 bytes; Go allocates 4,096, a page
	zfanLow    = zfan / 4
	zfanMerged = zfan * 3 / 4
)

// zentry is an entry of an inner node.
type zentry struct {
	ZItem // the separator
	kid   znode
	count int32
}

func newZInner() *zinner {
	n := &zinner{}
	noScores(n.heads[:])
	noScores(n.scores[:])
	return n
}

// item is separator i.
func (n *zinner) item(i int) ZItem { return ZItem{n.scores[i], n.members[i]} }

// search returns the index of the kid below which it is, or would be inserted.
func (n *zinner) search(it ZItem) int {
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
func (n *zinner) searchScore(score float64) int {
	i := n.group(score)
	return max(i+below(n.scores[i:i+zgroup], score), 1)
}

// group returns the index of the first of the zgroup scores among which searchScore ends.
func (n *zinner) group(score float64) int { return below(n.heads[:], score) * zgroup }

// seek returns the index of the kid below which the item with that rank is, and the number of items
// below the kids before it.
func (n *zinner) seek(rank int) (i, before int) {
	for rank >= before+int(n.sums[i/zgroup]) {
		before += int(n.sums[i/zgroup])
		i += zgroup
	}
	for rank >= before+int(n.counts[i]) {
		before += int(n.counts[i])
		i++
	}
	return i, before
}

// before returns the number of items below the kids before kid i.
func (n *zinner) before(i int) (sum int) {
	g := i / zgroup
	for _, c := range n.sums[:g] {
		sum += int(c)
	}
	for _, c := range n.counts[g*zgroup : i] {
		sum += int(c)
	}
	return sum
}

// add adds k to the number of items below kid i.
func (n *zinner) add(i, k int) {
	n.counts[i] += int32(k)
	n.sums[i/zgroup] += int32(k)
}

// updateHeads recomputes heads and sums from entry i on. was is the greatest number of entries
// since they were last computed.
func (n *zinner) updateHeads(i, was int) {
	for g := i / zgroup; g*zgroup < max(n.n, was); g++ {
		from := g * zgroup
		sum := int32(0)
		for _, c := range n.counts[from:min(from+zgroup, max(n.n, from))] {
			sum += c
		}
		n.sums[g] = sum
		if g > 0 {
			n.heads[g-1] = n.scores[from]
		}
	}
}

// insert inserts e as entry i. The node must not be full.
func (n *zinner) insert(i int, e zentry) {
	copy(n.scores[i+1:n.n+1], n.scores[i:n.n])
	copy(n.counts[i+1:n.n+1], n.counts[i:n.n])
	copy(n.kids[i+1:n.n+1], n.kids[i:n.n])
	copy(n.members[i+1:n.n+1], n.members[i:n.n])
	n.scores[i], n.counts[i], n.kids[i], n.members[i] = e.Score, e.count, e.kid, e.Member
	n.n++
	n.updateHeads(i, n.n)
}

// drop removes entry i.
func (n *zinner) drop(i int) {
	was := n.n
	copy(n.scores[i:], n.scores[i+1:n.n])
	copy(n.counts[i:], n.counts[i+1:n.n])
	copy(n.kids[i:], n.kids[i+1:n.n])
	copy(n.members[i:], n.members[i+1:n.n])
	n.n--
	n.scores[n.n], n.kids[n.n], n.members[n.n] = math.Inf(1), znode{}, ""
	if i == 0 && n.n > 0 {
		n.scores[0] = math.Inf(-1)
	}
	n.updateHeads(i, was)
}

// moveTail moves the entries from at on to the end of to.
func (n *zinner) moveTail(at int, to *zinner) {
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
func (n *zinner) shrunkLeaf(i int) bool {
	switch k := n.kids[i].leaf().n; {
	case k == 0:
		n.drop(i)
	case i > 0 && k+n.kids[i-1].leaf().n <= zleafMerged:
		n.mergeLeaves(i - 1)
	case i+1 < n.n && k+n.kids[i+1].leaf().n <= zleafMerged:
		n.mergeLeaves(i)
	default:
		return false
	}
	return true
}

// shrunkInner is shrunkLeaf for kids that are inner nodes.
func (n *zinner) shrunkInner(i int) bool {
	switch k := n.kids[i].inner().n; {
	case k == 0:
		n.drop(i)
	case i > 0 && k+n.kids[i-1].inner().n <= zfanMerged:
		n.mergeInners(i - 1)
	case i+1 < n.n && k+n.kids[i+1].inner().n <= zfanMerged:
		n.mergeInners(i)
	default:
		return false
	}
	return true
}

// mergeLeaves moves everything of kid i+1 into kid i.
func (n *zinner) mergeLeaves(i int) {
	n.kids[i+1].leaf().moveTail(0, n.kids[i].leaf())
	n.merged(i)
}

// mergeInners is mergeLeaves for kids that are inner nodes.
func (n *zinner) mergeInners(i int) {
	b := n.kids[i+1].inner()
	b.scores[0], b.members[0] = n.scores[i+1], n.members[i+1]
	b.moveTail(0, n.kids[i].inner())
	n.merged(i)
}

// merged adds the count of kid i+1 to kid i, with which it has been merged, and drops entry i+1.
func (n *zinner) merged(i int) {
	n.add(i, int(n.counts[i+1]))
	n.drop(i + 1)
}
