package ztree

import (
	"fmt"
	"math"
)

// Check verifies the tree's invariants.
func (t *Tree) Check() error {
	c := nodeCounts{}
	n, err := c.node(t.root, t.height)
	if err == nil && n != t.n {
		err = fmt.Errorf("zset tree: %d items, %d counted", n, t.n)
	}
	if err == nil && (c.leaves != t.leaves || c.inners != t.inners) {
		err = fmt.Errorf("zset tree: %d leaves and %d inner nodes, counted %d and %d", c.leaves, c.inners, t.leaves, t.inners)
	}
	if err != nil {
		return err
	}
	var last *Item
	Ascend(t, 0, t.n, func(it Item) bool {
		if last != nil && !last.Before(it) {
			err = fmt.Errorf("zset tree: %v before %v", *last, it)
		}
		last = &it
		return err == nil
	})
	return err
}

// nodeCounts counts the nodes that it visits.
type nodeCounts struct{ leaves, inners int }

func (c *nodeCounts) node(n nodeRef, height int) (count int, err error) {
	if height == 1 {
		c.leaves++
		return n.leaf().n, n.leaf().check()
	}
	c.inners++
	in := n.inner()
	if err := in.check(); err != nil {
		return 0, err
	}
	for i, k := range in.kids[:in.n] {
		below, err := c.node(k, height-1)
		if err != nil {
			return 0, err
		}
		if below != int(in.counts[i]) || below == 0 {
			return 0, fmt.Errorf("zset tree: %d items where %d are counted", below, in.counts[i])
		}
		if i > 0 && (k.first(height-1).Before(in.item(i)) || !in.kids[i-1].last(height-1).Before(in.item(i))) {
			return 0, fmt.Errorf("zset tree: separator %v out of place", in.item(i))
		}
		count += below
	}
	return count, nil
}

func (n *leafNode) check() error {
	if n.n > leafFan {
		return fmt.Errorf("zset tree: leaf of %d", n.n)
	}
	return checkEntries(n.n, n.heads[:], n.scores[:], n.members[:])
}

func (n *innerNode) check() error {
	if n.n < 1 || n.n > innerFan {
		return fmt.Errorf("zset tree: node of %d kids", n.n)
	}
	if !math.IsInf(n.scores[0], -1) {
		return fmt.Errorf("zset tree: entry 0 has the score %v", n.scores[0])
	}
	for i, k := range n.kids {
		if (k == nodeRef{}) != (i >= n.n) {
			return fmt.Errorf("zset tree: node of %d kids: kid %d is %v", n.n, i, k)
		}
	}
	for g, sum := range n.sums {
		from := min(g*lineScores, n.n)
		for _, c := range n.counts[from:min(from+lineScores, n.n)] {
			sum -= c
		}
		if sum != 0 {
			return fmt.Errorf("zset tree: %d items too many in group %d", sum, g)
		}
	}
	return checkEntries(n.n, n.heads[:], n.scores[:], n.members[:])
}

// checkEntries verifies what both kinds of nodes have: the heads, and that the places after the n
// entries are unused.
func checkEntries(n int, heads, scores []float64, members []string) error {
	for i, m := range members[n:] {
		if m != "" {
			return fmt.Errorf("zset tree: %q after the last entry, at %d", m, n+i)
		}
	}
	for i, s := range scores[n:] {
		if !math.IsInf(s, 1) {
			return fmt.Errorf("zset tree: score %v after the last entry, at %d", s, n+i)
		}
	}
	for g, h := range heads {
		if s := scores[(g+1)*lineScores]; h != s {
			return fmt.Errorf("zset tree: group %d begins with %v, its head is %v", g+1, s, h)
		}
	}
	return nil
}

func (n nodeRef) first(height int) Item {
	for ; height > 1; height-- {
		n = n.inner().kids[0]
	}
	return n.leaf().item(0)
}

func (n nodeRef) last(height int) Item {
	for ; height > 1; height-- {
		in := n.inner()
		n = in.kids[in.n-1]
	}
	leaf := n.leaf()
	return leaf.item(leaf.n - 1)
}
