package ztree

import "sort"

// Partition returns the number of items for which before is true. They must be a prefix of the
// sequence.
func (t *Tree) Partition(before func(Item) bool) int {
	node, r := t.root, 0
	for range t.height - 1 {
		n := node.inner()
		i := sort.Search(n.n-1, func(i int) bool { return !before(n.item(i + 1)) })
		r += n.before(i)
		node = n.kids[i]
	}
	n := node.leaf()
	return r + sort.Search(n.n, func(i int) bool { return !before(n.item(i)) })
}

// next moves p to the first item of the next leaf.
func (t *Tree) next(p *Path) bool {
	for d := t.height - 2; d >= 0; d-- {
		if p.idx[d]+1 < p.nodes[d].n {
			p.idx[d]++
			for ; d < t.height-2; d++ {
				p.nodes[d+1], p.idx[d+1] = p.nodes[d].kids[p.idx[d]].inner(), 0
			}
			p.leaf, p.at = p.nodes[d].kids[p.idx[d]].leaf(), 0
			return true
		}
	}
	return false
}

// prev moves p to the last item of the leaf before.
func (t *Tree) prev(p *Path) bool {
	for d := t.height - 2; d >= 0; d-- {
		if p.idx[d] > 0 {
			p.idx[d]--
			for ; d < t.height-2; d++ {
				n := p.nodes[d].kids[p.idx[d]].inner()
				p.nodes[d+1], p.idx[d+1] = n, n.n-1
			}
			p.leaf = p.nodes[d].kids[p.idx[d]].leaf()
			p.at = p.leaf.n - 1
			return true
		}
	}
	return false
}

// Ascend calls f for at most n items from rank on, until f returns false. T is a type with the
// fields of Item.
func Ascend[T ~struct {
	Score  float64
	Member string
}](t *Tree, rank, n int, f func(T) bool) {
	if n <= 0 || rank >= t.n {
		return
	}
	var p Path
	t.Seek(rank, &p)
	for {
		leaf, from := p.leaf, p.at
		for i := from; i < min(leaf.n, from+n); i++ {
			if !f(T(leaf.item(i))) {
				return
			}
		}
		if n -= leaf.n - from; n <= 0 || !t.next(&p) {
			return
		}
	}
}

// Descend calls f for at most n items from rank downwards, until f returns false. T is a type with
// the fields of Item.
func Descend[T ~struct {
	Score  float64
	Member string
}](t *Tree, rank, n int, f func(T) bool) {
	if n <= 0 || rank < 0 || t.n == 0 {
		return
	}
	var p Path
	t.Seek(rank, &p)
	for {
		for i := p.at; i >= 0 && n > 0; i, n = i-1, n-1 {
			if !f(T(p.leaf.item(i))) {
				return
			}
		}
		if n == 0 || !t.prev(&p) {
			return
		}
	}
}
