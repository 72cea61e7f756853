package datastore

import "math"

// Since Redis 7.2 a short list is a listpack: one node without limits. Before a command adds to it,
// Expect decides by the sizes of the new elements whether it becomes a quicklist. After a command
// has removed or replaced elements, Shrink makes it a listpack again, if it is half as large.

// Encoding is quicklist, or listpack for a short list with Limits.CompactLists.
func (l *List) Encoding() string {
	if l.compact {
		return "listpack"
	}
	return "quicklist"
}

// Expect prepares the list for more elements, or for one that will replace another.
func (l *List) Expect(els ...string) {
	if !l.compact {
		return
	}
	size, count := lpOutside, l.n+len(els)
	if l.n > 0 {
		size = l.first().size()
	}
	for _, el := range els {
		size += len(el)
	}
	if fresh := l.st.newList(); !fresh.within(size, count) {
		l.become(false, fresh.fill, fresh.depth)
	}
}

// Shrink makes a quicklist of one node a listpack, if it has at most half of the allowed size.
func (l *List) Shrink() { l.mayCompact(2) }

// Settle chooses the form of a list that has been built as a quicklist.
func (l *List) Settle() { l.mayCompact(1) }

// mayCompact makes a quicklist of one node a listpack, if it has at most the allowed size divided
// by part.
func (l *List) mayCompact(part int) {
	if l.compact || !l.st.limits.CompactLists || l.nodes.len() != 1 || l.first().plain {
		return
	}
	fresh := l.st.newList()
	if fresh.fill < 0 && l.first().size() > fresh.full()/part || fresh.fill >= 0 && l.n > max(1, int(fresh.fill))/part {
		return
	}
	l.become(true, l.fill, l.depth)
}

// become changes the form of the list.
func (l *List) become(compact bool, fill int16, depth int32) {
	old := *l
	l.compact, l.fill, l.depth = compact, fill, depth
	if l.st.Recording() {
		l.st.record(func() { l.compact, l.fill, l.depth = old.compact, old.fill, old.depth })
	}
}

// unlimited is the size to which the node of a listpack may grow.
const unlimited = math.MaxInt32
