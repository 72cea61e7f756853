package datastore

// The bytes of a list are known at any time: those of the nodes between the first and the last are kept in inner, which changes
// only when a node comes to an end of the list, or goes from there, and when the list is changed elsewhere; the two at the ends,
// where most changes happen, are looked at.

// innerBytes adds up the bytes of the nodes between the first and the last.
func (l *List) innerBytes() (sum int) {
	if l.nodes.len() < 3 {
		return 0
	}
	nodes := l.nodes.items()
	for _, c := range nodes[1 : len(nodes)-1] {
		sum += c.bytes()
	}
	return sum
}

// recount counts inner anew.
func (l *List) recount() { l.inner = l.innerBytes() }

// isInner reports whether node k is neither the first nor the last.
func (l *List) isInner(k int) bool { return k > 0 && k < l.nodes.len()-1 }

// popFirst and popLast take a node from an end, and change the number of elements no more than the nodes' coordinates.
func (l *List) popFirst() *listNode {
	c := l.nodes.popFront()
	if l.nodes.len() > 1 {
		l.inner -= l.first().bytes()
	}
	return c
}

func (l *List) popLast() *listNode {
	c := l.nodes.popBack()
	if l.nodes.len() > 1 {
		l.inner -= l.last().bytes()
	}
	return c
}

// changed brings inner up to date after node k, which took was bytes before, has been changed.
func (l *List) changed(k, was int) {
	if l.isInner(k) {
		l.inner += l.node(k).bytes() - was
	}
}
