package datastore

import "slices"

// Remove removes the first count elements equal to el, the last -count if count is negative, all if
// it is 0. It returns how many it removed.
func (l *List) Remove(count int, el string) int {
	left, back := count, count < 0
	if back {
		left = -count
	}
	if left <= 0 { // 0, or the smallest integer, whose negation is itself
		left = l.n
	}
	var saved []*listNode
	nodes, n := l.nodes.len(), l.n
	for i := 0; i < nodes && left > 0; i++ {
		k := i
		if back {
			k = nodes - 1 - i
		}
		c := l.node(k)
		found := c.matches(el)
		gone := min(found, left)
		if gone == 0 {
			continue
		}
		if l.st.Recording() {
			if saved == nil {
				saved = slices.Clone(l.nodes.items())
			}
			c = c.clone()
			l.st.noteCopied(c.bytes())
			l.nodes.items()[k] = c
		}
		l.n -= gone
		left -= gone
		switch {
		case gone == c.count:
			c.count = 0
		case back:
			c.remove(el, found-gone, gone)
		default:
			c.remove(el, 0, gone)
		}
	}
	if l.n == n {
		return 0
	}
	if saved != nil {
		l.st.noteCopied(len(saved) * inTable)
		l.st.record(func() { l.setNodes(saved, n) })
	}
	l.dropEmpty()
	return n - l.n
}

// dropEmpty removes empty nodes and renumbers all.
func (l *List) dropEmpty() {
	kept := slices.DeleteFunc(l.nodes.items(), func(c *listNode) bool { return c.count == 0 })
	l.nodes.hi = l.nodes.lo + len(kept)
	l.recount()
	l.renumber(0, l.nodes.len())
}

// recordNodes journals all nodes, if the store is recording. It replaces nodes a to b (exclusive),
// which are about to be changed, by copies, because older undo steps may hold the same nodes.
func (l *List) recordNodes(a, b int) {
	if !l.st.Recording() {
		return
	}
	saved, n := slices.Clone(l.nodes.items()), l.n
	for k := max(a, 0); k < min(b, len(saved)); k++ {
		l.nodes.items()[k] = saved[k].clone()
		l.st.noteCopied(saved[k].bytes())
	}
	l.recount()
	l.st.noteCopied(len(saved) * inTable)
	l.st.record(func() { l.setNodes(saved, n) })
}

// setNodes replaces the nodes of the list by nodes, with n elements in total.
func (l *List) setNodes(nodes []*listNode, n int) {
	l.nodes = window[*listNode]{buf: nodes, hi: len(nodes)}
	l.n = n
	l.recount()
	l.renumber(0, len(nodes))
}

// Trim keeps the elements from index start to stop, inclusive; none if start > stop. Otherwise 0 <=
// start and stop < Len must hold.
func (l *List) Trim(start, stop int) {
	front, back := start, l.n-1-stop
	if start > stop {
		front, back = l.n, 0
	}
	l.trim(&atFront, front)
	l.trim(&atBack, back)
}

// listEnd is what differs between the two ends of a list.
type listEnd struct {
	node   func(*List) *listNode
	pop    func(*List) *listNode
	attach func(*List, *listNode)
	cut    func(*listNode, int) []byte
	add    func(*listNode, []byte, int)
}

var (
	atFront = listEnd{(*List).first, (*List).popFirst, (*List).attachFront, (*listNode).cutFront, (*listNode).addFront}
	atBack  = listEnd{(*List).last, (*List).popLast, (*List).attachBack, (*listNode).cutBack, (*listNode).addBack}
)

// trim removes n elements from an end.
func (l *List) trim(end *listEnd, n int) {
	var gone []*listNode
	recording := l.st.Recording()
	for n > 0 && n >= end.node(l).count {
		c := end.pop(l)
		n -= c.count
		l.n -= c.count
		if recording {
			l.st.noteKept(c.bytes())
			gone = append(gone, c)
		}
	}
	if len(gone) > 0 {
		l.st.record(func() {
			for _, c := range slices.Backward(gone) {
				end.attach(l, c)
			}
		})
	}
	if n == 0 {
		return
	}
	l.n -= n
	raw := end.cut(end.node(l), n)
	if recording {
		raw = slices.Clone(raw)
		l.st.record(func() { end.add(end.node(l), raw, n); l.n += n })
	}
}

// attachFront and attachBack add a node at an end, and journal nothing.
func (l *List) attachFront(c *listNode) {
	if l.n > 0 {
		c.start = l.first().start - c.count
	}
	if l.nodes.len() > 1 {
		l.inner += l.first().bytes()
	}
	l.nodes.pushFront(c)
	l.n += c.count
	l.st.mayBeLarge(l.nodes.len() >= aheadNodes)
}

func (l *List) attachBack(c *listNode) {
	if l.n > 0 {
		c.start = l.last().start + l.last().count
	}
	if l.nodes.len() > 1 {
		l.inner += l.last().bytes()
	}
	l.nodes.pushBack(c)
	l.n += c.count
	l.st.mayBeLarge(l.nodes.len() >= aheadNodes)
}
