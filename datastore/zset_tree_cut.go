package datastore

// cut removes up to n items from the place that p leads to on, within its leaf, and returns how
// many. p is not valid afterwards.
func (t *ztree) cut(p *zpath, n int) int {
	leaf := p.leaf
	n = min(n, leaf.n-p.at)
	leaf.delete(p.at, n)
	t.add(p, -n)
	if d := t.height - 2; d >= 0 && leaf.n < zleafLow && p.nodes[d].shrunkLeaf(p.idx[d]) {
		t.leaves--
		if leaf.n == 0 {
			t.spare = leaf
		}
		for ; d > 0 && p.nodes[d].n < zfanLow && p.nodes[d-1].shrunkInner(p.idx[d-1]); d-- {
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

// move changes the score of the item it, which must be in the tree.
func (t *ztree) move(it ZItem, score float64) {
	var p zpath
	t.locate(it, &p)
	if p.leaf.replace(p.at, score) {
		return
	}
	kept := p.item().Member // the copy of the string that is shared with the dict
	t.cut(&p, 1)
	t.insert(ZItem{score, kept})
}
