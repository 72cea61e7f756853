package datastore

import "math"

// descent is a way down a tree to the place of a score.
type descent struct {
	score float64
	group int     // of the node
	add   bool    // an element is to be inserted there
	inner *zinner // of the lowest level
	leaf  *zleaf
}

// beginDescent goes down the levels above the last two, which are small enough to be in the caches. The tree must have these two.
func (t *ztree) beginDescent(score float64, add bool) descent {
	n := t.root.inner()
	for range t.height - 2 {
		n = n.kids[n.searchScore(score)-1].inner()
	}
	return descent{score: score, add: add, inner: n}
}

// descend goes on, step by step for all of ways. What it returns is as that of [DB.foresee].
func descend(ways []descent) (n int) {
	for i := range ways {
		in := ways[i].inner
		n += touch(in.heads[0]) + touch(in.heads[zgroup]) + int(in.sums[0])
	}
	for i := range ways {
		d := &ways[i]
		d.group = d.inner.group(d.score)
		n += touch(d.inner.scores[d.group]) + int(uintptr(d.inner.kids[d.group].p)) + int(d.inner.counts[d.group])
	}
	for i := range ways {
		d := &ways[i]
		k := d.group + below(d.inner.scores[d.group:d.group+zgroup], d.score)
		d.leaf = d.inner.kids[max(k, 1)-1].leaf()
	}
	for i := range ways {
		n += ways[i].leaf.n
	}
	const scores, members = zgroup, zgroup / 2 // of a line
	for i := range ways {
		d := &ways[i]
		g := d.leaf.group(d.score)
		n += touch(d.leaf.scores[g])
		if !d.add {
			continue
		}
		for k := g + scores; k < d.leaf.n; k += scores { // everything behind a new element moves
			n += touch(d.leaf.scores[k])
		}
		for k := g; k < d.leaf.n; k += members {
			n += len(d.leaf.members[k])
		}
	}
	return n
}

// touch makes of a score a number for nothing.
func touch(score float64) int { return int(math.Float64bits(score)) }
