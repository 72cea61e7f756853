package ztree

// Cut removes up to n items from the place that p leads to on, within its leaf, and returns how
// many. p is not valid afterwards.
func (t *Tree) Cut(p *Path, n int) int {
	leaf := p.leaf
	n = min(n, leaf.n-p.at)
	leaf.delete(p.at, n)
	t.add(p, -n)
	if d := t.height - 2; d >= 0 && leaf.n < leafLow && p.nodes[d].shrunkLeaf(p.idx[d]) {
		t.leaves--
		if leaf.n == 0 {
			t.spare = leaf
		}
		for ; d > 0 && p.nodes[d].n < innerLow && p.nodes[d-1].shrunkInner(p.idx[d-1]); d-- {
			t.inners--
		}
	}
	for t.height > 1 && t.root.inner().n == 1 {
		t.root = t.root.inner().kids[0]
		t.height--
		t.inners--
	}
	return n
}

// Move changes the score of the item it, which must be in the tree.
func (t *Tree) Move(it Item, score float64) {
	var p Path
	t.Locate(it, &p)
	if p.leaf.replace(p.at, score) {
		return
	}
	kept := p.Item().Member // the copy of the string that is shared with the dict
	t.Cut(&p, 1)
	t.Insert(Item{score, kept})
}
