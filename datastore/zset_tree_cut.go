package datastore

import "slices"

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
