package datastore

import "slices"

// cut removes up to n items from the place p leads to on, as far as its leaf goes, and tells
// how many. p is of no use afterwards.
func (t *ztree) cut(p *zpath, n int) int {
	d := t.height - 1
	leaf, i := p.nodes[d], p.idx[d]
	n = min(n, leaf.n-i)
	leaf.delete(i, n)
	t.n -= n
	for u := range d {
		p.nodes[u].counts[p.idx[u]] -= int32(n)
	}
	for ; d > 0 && p.nodes[d].n < zfanLow; d-- {
		if !p.nodes[d-1].shrink(p.idx[d-1]) {
			break
		}
		if d == t.height-1 {
			t.leaves--
		} else {
			t.inners--
		}
	}
	for t.height > 1 && len(t.root.kids) == 1 {
		t.root = t.root.kids[0]
		t.height--
		t.inners--
	}
	return n
}

// shrink drops kid i when it is empty, or merges it with a neighbour when they fit together. It
// reports whether n has lost a kid.
func (n *znode) shrink(i int) bool {
	switch k := n.kids[i].n; {
	case k == 0:
		n.drop(i)
	case i > 0 && k+n.kids[i-1].n <= zfanMerged:
		n.merge(i - 1)
	case i+1 < len(n.kids) && k+n.kids[i+1].n <= zfanMerged:
		n.merge(i)
	default:
		return false
	}
	return true
}

func (n *znode) drop(i int) {
	n.delete(i, 1)
	n.kids = slices.Delete(n.kids, i, i+1)
	n.counts = slices.Delete(n.counts, i, i+1)
}

// merge moves everything of kid i+1 into kid i.
func (n *znode) merge(i int) {
	a, b := n.kids[i], n.kids[i+1]
	if b.kids != nil {
		b.scores[0], b.members[0] = n.scores[i+1], n.members[i+1]
		a.kids = append(a.kids, b.kids...)
		a.counts = append(a.counts, b.counts...)
	}
	b.moveTail(0, a)
	n.counts[i] += n.counts[i+1]
	n.drop(i + 1)
}

// replace gives the item that p leads to another score in place, when that keeps the order
// and the bounds of its leaf.
func (t *ztree) replace(p *zpath, score float64) bool {
	n, i := p.nodes[t.height-1], p.idx[t.height-1]
	it := ZItem{score, n.members[i]}
	if i > 0 && !n.item(i-1).before(it) || i == 0 && score < n.scores[i] {
		return false
	}
	if i+1 < n.n && !it.before(n.item(i+1)) || i+1 == n.n && score > n.scores[i] {
		return false
	}
	n.scores[i] = score
	return true
}
