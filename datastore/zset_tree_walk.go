package datastore

import "sort"

// partition returns the number of items for which before is true. Caller must know
// that before is true for a prefix of the sequence.
func (t *ztree) partition(before func(ZItem) bool) int {
	n, r := t.root, 0
	for d := 0; d < t.height-1; d++ {
		i := sort.Search(n.n-1, func(i int) bool { return !before(n.item(i + 1)) })
		r += sum(n.counts[:i])
		n = n.kids[i]
	}
	return r + sort.Search(n.n, func(i int) bool { return !before(n.item(i)) })
}

// next moves p to the first item of the next leaf.
func (t *ztree) next(p *zpath) bool {
	for d := t.height - 2; d >= 0; d-- {
		if p.idx[d]+1 < len(p.nodes[d].kids) {
			p.idx[d]++
			for ; d < t.height-1; d++ {
				p.nodes[d+1], p.idx[d+1] = p.nodes[d].kids[p.idx[d]], 0
			}
			return true
		}
	}
	return false
}

// prev moves p to the last item of the leaf before.
func (t *ztree) prev(p *zpath) bool {
	for d := t.height - 2; d >= 0; d-- {
		if p.idx[d] > 0 {
			p.idx[d]--
			for ; d < t.height-1; d++ {
				n := p.nodes[d].kids[p.idx[d]]
				p.nodes[d+1], p.idx[d+1] = n, n.n-1
			}
			return true
		}
	}
	return false
}

// ascend calls f for n items from rank on, until f returns false.
func (t *ztree) ascend(rank, n int, f func(ZItem) bool) {
	if n <= 0 || rank >= t.n {
		return
	}
	var p zpath
	t.seek(rank, &p)
	d := t.height - 1
	for {
		leaf, from := p.nodes[d], p.idx[d]
		for i := from; i < min(leaf.n, from+n); i++ {
			if !f(leaf.item(i)) {
				return
			}
		}
		if n -= leaf.n - from; n <= 0 || !t.next(&p) {
			return
		}
	}
}

// descend calls f for n items from rank downwards, until f returns false.
func (t *ztree) descend(rank, n int, f func(ZItem) bool) {
	if n <= 0 || rank < 0 || t.n == 0 {
		return
	}
	var p zpath
	t.seek(rank, &p)
	d := t.height - 1
	for {
		leaf := p.nodes[d]
		for i := p.idx[d]; i >= 0 && n > 0; i, n = i-1, n-1 {
			if !f(leaf.item(i)) {
				return
			}
		}
		if n == 0 || !t.prev(&p) {
			return
		}
	}
}
