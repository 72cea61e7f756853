package datastore

// The bytes of a list are counted so that its size is known in O(1). List.inner is the bytes of the
// nodes between the first and the last. It changes only when a node is added or removed at an end,
// or when the list is changed in the middle. The first and the last node, where most changes
// happen, are measured when needed.

// innerBytes returns the bytes of the nodes between the first and the last.
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

// recount computes inner again.
func (l *List) recount() { l.inner = l.innerBytes() }

// isInner reports whether node k is neither the first nor the last.
func (l *List) isInner(k int) bool { return k > 0 && k < l.nodes.len()-1 }

// popFirst and popLast remove a node from an end. They change neither the number of elements nor
// the coordinates of the other nodes.
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

// changed updates inner after node k, which had was bytes before, has been changed.
func (l *List) changed(k, was int) {
	if l.isInner(k) {
		l.inner += l.node(k).bytes() - was
	}
}
