package ztree

import "math"

// Descent is a path down a tree to the position of a score.
type Descent struct {
	score float64
	group int        // index of the group in the node
	add   bool       // an element will be inserted there
	inner *innerNode // of the lowest level
	leaf  *leafNode
}

// BeginDescent descends to the level above the leaves; the levels above it are small enough to be
// in the caches. The tree must have at least two levels.
func (t *Tree) BeginDescent(score float64, add bool) Descent {
	n := t.root.inner()
	for range t.height - 2 {
		n = n.kids[n.searchScore(score)-1].inner()
	}
	return Descent{score: score, add: add, inner: n}
}

// PrefetchAll continues all descents to the leaves, making each step for all of ways. The result
// has no meaning; it keeps the reads from being optimized away.
func PrefetchAll(ways []Descent) (n int) {
	for i := range ways {
		in := ways[i].inner
		n += touch(in.heads[0]) + touch(in.heads[lineScores]) + int(in.sums[0])
	}
	for i := range ways {
		d := &ways[i]
		d.group = d.inner.group(d.score)
		n += touch(d.inner.scores[d.group]) + int(uintptr(d.inner.kids[d.group].p)) + int(d.inner.counts[d.group])
	}
	for i := range ways {
		d := &ways[i]
		k := d.group + below(d.inner.scores[d.group:d.group+lineScores], d.score)
		d.leaf = d.inner.kids[max(k, 1)-1].leaf()
	}
	for i := range ways {
		n += ways[i].leaf.n
	}
	const scores, members = lineScores, lineScores / 2 // entries in a cache line
	for i := range ways {
		d := &ways[i]
		g := d.leaf.group(d.score)
		n += touch(d.leaf.scores[g])
		if !d.add {
			continue
		}
		for k := g + scores; k < d.leaf.n; k += scores { // everything after a new element moves
			n += touch(d.leaf.scores[k])
		}
		for k := g; k < d.leaf.n; k += members {
			n += len(d.leaf.members[k])
		}
	}
	return n
}

// touch converts a score to a meaningless number.
func touch(score float64) int { return int(math.Float64bits(score)) }
