package datastore

// zleaf is a leaf: items in order.
//
// In a large tree the time goes to waiting for memory, so that a search reads two lines of it: the first, with heads, and
// the one of scores that heads tells. Before an object of this size lie 8 bytes of Go's, which the sizes here count with.
type zleaf struct {
	heads   [zleafGroups - 1]float64 // heads[g-1] is scores[g*zgroup], +Inf where there is none
	n       int
	_       [3]uint64
	scores  [zleafGroups * zgroup]float64 // +Inf behind the last
	members [zleafFan]string
}

const (
	zleafFan    = 28 // a leaf takes 760 bytes, of 768 that Go allocates
	zleafGroups = (zleafFan + zgroup - 1) / zgroup
	zleafLow    = zleafFan / 4
	zleafMerged = zleafFan * 3 / 4
)

func newZLeaf() *zleaf {
	n := &zleaf{}
	noScores(n.heads[:])
	noScores(n.scores[:])
	return n
}

// item is item i.
func (n *zleaf) item(i int) ZItem { return ZItem{n.scores[i], n.members[i]} }

// search returns the first place whose item is not before it.
func (n *zleaf) search(it ZItem) int {
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

// place returns the place of it, which is in the leaf. It reads members only where scores are equal.
func (n *zleaf) place(it ZItem) int {
	if i := n.searchScore(it.Score); n.scores[i+1] != it.Score {
		return i
	}
	return n.search(it)
}

// searchScore returns the first place whose score is not below score.
func (n *zleaf) searchScore(score float64) int {
	i := n.group(score)
	return i + below(n.scores[i:i+zgroup], score)
}

// group returns the place of the scores, as many as a line of memory holds, among which searchScore ends.
func (n *zleaf) group(score float64) int { return below(n.heads[:], score) * zgroup }

// lead makes heads right again from the item i on.
func (n *zleaf) lead(i int) {
	for g := (i + zgroup - 1) / zgroup; g < zleafGroups; g++ {
		if g > 0 {
			n.heads[g-1] = n.scores[g*zgroup]
		}
	}
}

// insert makes it item i. Caller must know that there is room.
func (n *zleaf) insert(i int, it ZItem) {
	copy(n.scores[i+1:n.n+1], n.scores[i:n.n])
	copy(n.members[i+1:n.n+1], n.members[i:n.n])
	n.scores[i], n.members[i] = it.Score, it.Member
	n.n++
	n.lead(i)
}

// delete removes k items from i on.
func (n *zleaf) delete(i, k int) {
	copy(n.scores[i:], n.scores[i+k:n.n])
	copy(n.members[i:], n.members[i+k:n.n])
	clear(n.members[n.n-k : n.n])
	noScores(n.scores[n.n-k : n.n])
	n.n -= k
	n.lead(i)
}

// moveTail moves the items from at on behind those of to.
func (n *zleaf) moveTail(at int, to *zleaf) {
	from := to.n
	copy(to.scores[to.n:], n.scores[at:n.n])
	copy(to.members[to.n:], n.members[at:n.n])
	to.n += n.n - at
	clear(n.members[at:n.n])
	noScores(n.scores[at:n.n])
	n.n = at
	n.lead(at)
	to.lead(from)
}

// replace gives item i another score in place, when that keeps the order and the bounds of the leaf.
func (n *zleaf) replace(i int, score float64) bool {
	it := ZItem{score, n.members[i]}
	if i > 0 && !n.item(i-1).before(it) || i == 0 && score < n.scores[i] {
		return false
	}
	if i+1 < n.n && !it.before(n.item(i+1)) || i+1 == n.n && score > n.scores[i] {
		return false
	}
	n.scores[i] = score
	n.lead(i)
	return true
}
