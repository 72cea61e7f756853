package datastore

import "fmt"

// check verifies the tree's invariants.
func (t *ztree) check() error {
	n, err := t.root.check(t.height)
	if err == nil && n != t.n {
		err = fmt.Errorf("zset tree: %d items, %d counted", n, t.n)
	}
	leaves, inners := t.root.nodes()
	if err == nil && (leaves != t.leaves || inners != t.inners) {
		err = fmt.Errorf("zset tree: %d leaves and %d inner nodes, counted %d and %d", leaves, inners, t.leaves, t.inners)
	}
	if err != nil {
		return err
	}
	var last *ZItem
	t.ascend(0, t.n, func(it ZItem) bool {
		if last != nil && !last.before(it) {
			err = fmt.Errorf("zset tree: %v before %v", *last, it)
		}
		last = &it
		return err == nil
	})
	return err
}

func (n *znode) check(height int) (count int, err error) {
	if n.n > zfan {
		return 0, fmt.Errorf("zset tree: node of %d", n.n)
	}
	for i := n.n; i < zfan; i++ {
		if n.members[i] != "" {
			return 0, fmt.Errorf("zset tree: %q behind the last entry", n.members[i])
		}
	}
	if height == 1 {
		if n.kids != nil {
			return 0, fmt.Errorf("zset tree: leaf with kids")
		}
		return n.n, nil
	}
	if len(n.kids) != n.n || len(n.kids) != len(n.counts) || len(n.kids) == 0 {
		return 0, fmt.Errorf("zset tree: node of %d kids, %d separators, %d counts", len(n.kids), n.n, len(n.counts))
	}
	for i, k := range n.kids {
		c, err := k.check(height - 1)
		if err != nil {
			return 0, err
		}
		if c != int(n.counts[i]) || c == 0 {
			return 0, fmt.Errorf("zset tree: %d items where %d are counted", c, n.counts[i])
		}
		if i > 0 && (k.first(height-1).before(n.item(i)) || !n.kids[i-1].last(height-1).before(n.item(i))) {
			return 0, fmt.Errorf("zset tree: separator %v out of place", n.item(i))
		}
		count += c
	}
	return count, nil
}

// nodes counts the leaves and the other nodes from n downwards.
func (n *znode) nodes() (leaves, inners int) {
	if n.kids == nil {
		return 1, 0
	}
	inners = 1
	for _, k := range n.kids {
		l, i := k.nodes()
		leaves, inners = leaves+l, inners+i
	}
	return leaves, inners
}

func (n *znode) first(height int) ZItem {
	for ; height > 1; height-- {
		n = n.kids[0]
	}
	return n.item(0)
}

func (n *znode) last(height int) ZItem {
	for ; height > 1; height-- {
		n = n.kids[len(n.kids)-1]
	}
	return n.item(n.n - 1)
}
