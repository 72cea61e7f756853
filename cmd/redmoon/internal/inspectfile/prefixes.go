package inspectfile

import (
	"cmp"
	"slices"
	"strings"
)

const (
	maxNodes    = 20000 // prefixes in the table
	maxDepth    = 4     // parts of a prefix
	tableDepth  = 2     // parts of the prefixes in lists
	maxSegment  = 128   // bytes of a part; longer ones are cut
	prefixBreak = ':'
)

// prefixNode is a prefix. Its totals contain those of its children.
type prefixNode struct {
	segment  string // the last part, with its colon
	depth    int
	parent   *prefixNode
	children map[string]*prefixNode
	Totals
}

// prefixTable counts keys by prefix. When it is full, it drops the lighter half.
type prefixTable struct {
	root    prefixNode
	count   int
	limit   int
	dropped bool
}

func newPrefixTable() *prefixTable { return &prefixTable{limit: maxNodes} }

// add counts a key.
func (p *prefixTable) add(key string, t Totals) {
	n := &p.root
	n.add(t)
	for n.depth < maxDepth {
		i := strings.IndexByte(key, prefixBreak)
		if i < 0 {
			break
		}
		segment := key[:i+1]
		key = key[i+1:]
		if len(segment) > maxSegment {
			segment = segment[:maxSegment]
		}
		child := n.children[segment]
		if child == nil {
			if n.children == nil {
				n.children = map[string]*prefixNode{}
			}
			segment = strings.Clone(segment) // so that the key is freed
			child = &prefixNode{segment: segment, depth: n.depth + 1, parent: n}
			n.children[segment] = child
			p.count++
		}
		child.add(t)
		n = child
	}
	if p.count > p.limit {
		p.drop()
	}
}

// drop removes the lighter half of the prefixes. A prefix is at least as heavy as those below it
// and comes after them in the order, so no removed prefix leaves children behind.
func (p *prefixTable) drop() {
	all := make([]*prefixNode, 0, p.count)
	p.root.each(func(n *prefixNode) { all = append(all, n) })
	slices.SortFunc(all, func(a, b *prefixNode) int {
		return cmp.Or(cmp.Compare(a.Bytes, b.Bytes), cmp.Compare(b.depth, a.depth), cmp.Compare(a.segment, b.segment))
	})
	for _, n := range all[:len(all)/2] {
		delete(n.parent.children, n.segment)
		p.count--
	}
	p.dropped = true
}

// each calls f for all nodes below n. The depth is at most maxDepth.
func (n *prefixNode) each(f func(*prefixNode)) {
	for _, c := range n.children {
		f(c)
		c.each(f)
	}
}

// sorted returns the children, the heaviest first.
func (n *prefixNode) sorted() []*prefixNode {
	all := make([]*prefixNode, 0, len(n.children))
	for _, c := range n.children {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b *prefixNode) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.segment, b.segment))
	})
	return all
}

// name returns the whole prefix.
func (n *prefixNode) name() Name {
	text := ""
	for ; n.parent != nil; n = n.parent {
		text = n.segment + text
	}
	return newName(text)
}

func (p *prefixTable) report(limit int) Prefixes {
	heaviest := top[Prefix]{limit: limit, before: func(a, b Prefix) bool {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Depth, b.Depth), cmp.Compare(a.Prefix.text, b.Prefix.text)) < 0
	}}
	p.root.each(func(n *prefixNode) {
		if n.depth <= tableDepth {
			heaviest.add(Prefix{n.name(), n.depth, n.Totals})
		}
	})
	return Prefixes{Top: heaviest.sorted(), Dropped: p.dropped, tree: &p.root}
}
