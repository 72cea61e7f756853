package datastore

import (
	"slices"

	"github.com/redmoon-lua/redmoon/datastore/internal/listpack"
)

// PushFront inserts el before the first element.
func (l *List) PushFront(el string) {
	l.pushFront(el)
	if l.st.Recording() {
		l.st.record(l.dropFirst)
	}
}

// PushBack appends el after the last element.
func (l *List) PushBack(el string) {
	l.pushBack(el)
	if l.st.Recording() {
		l.st.record(l.dropLast)
	}
}

// pushFront and pushBack journal nothing.
func (l *List) pushFront(el string) {
	if l.allows(0, len(el)) {
		l.first().pushFront(el, l.full())
		l.n++
		return
	}
	if l.n > 0 {
		l.first().fit()
	}
	l.attachFront(l.newNodeAt(0, el, true))
}

func (l *List) pushBack(el string) {
	if l.allows(l.nodes.len()-1, len(el)) {
		l.last().pushBack(el, l.full())
		l.n++
		return
	}
	if l.n > 0 {
		l.last().fit()
	}
	l.attachBack(l.newNodeAt(l.nodes.len()-1, el, false))
}

// newNodeAt returns a node of one element, to be put beside node k. If node k exists, it is full,
// and the new node gets as much room.
func (l *List) newNodeAt(k int, el string, front bool) *listNode {
	if l.n == 0 || l.node(k).plain || l.large(len(el)) {
		return l.newNodeOf(el)
	}
	c := &listNode{buf: newBuffer(lpOutside + max(l.node(k).to-l.node(k).from, listpack.EntrySize(el)))}
	if front {
		c.from, c.to = len(c.buf)-1, len(c.buf)-1
		c.pushFront(el, 0)
	} else {
		c.from, c.to = lpHeader, lpHeader
		c.pushBack(el, 0)
	}
	return c
}

// newNodeOf returns a node of one element.
func (l *List) newNodeOf(el string) *listNode {
	if l.large(len(el)) {
		return newPlainNode(el)
	}
	c := &listNode{buf: newBuffer(lpOutside + listpack.EntrySize(el)), from: lpHeader, to: lpHeader}
	c.pushBack(el, 0)
	return c
}

// dropFirst and dropLast remove the element at an end, and journal nothing.
func (l *List) dropFirst() {
	l.n--
	if c := l.first(); c.count == 1 {
		l.popFirst()
	} else {
		c.cutFront(1)
	}
}

func (l *List) dropLast() {
	l.n--
	if c := l.last(); c.count == 1 {
		l.popLast()
	} else {
		c.cutBack(1)
	}
}

// PopFront removes and returns the first element. The list must not be empty.
func (l *List) PopFront() string {
	c := l.first()
	l.n--
	if c.count == 1 {
		l.popFirst()
		if l.st.Recording() {
			l.st.record(func() { l.attachFront(c) })
		}
		return c.firstText()
	}
	lp := c.lp()
	el, at := lp.Text(lpHeader), c.from-lpHeader+lp.Behind(lpHeader)
	raw := c.buf[c.from:at]
	c.from = at
	c.count--
	c.start++
	c.spare()
	if l.st.Recording() {
		l.recordPop(el, raw, true)
	}
	return el
}

// PopBack removes and returns the last element. The list must not be empty.
func (l *List) PopBack() string {
	c := l.last()
	l.n--
	if c.count == 1 {
		l.popLast()
		if l.st.Recording() {
			l.st.record(func() { l.attachBack(c) })
		}
		return c.firstText()
	}
	lp := c.lp()
	p := lp.Last()
	el, at := lp.Text(p), c.from-lpHeader+p
	raw := c.buf[at:c.to]
	c.to = at
	c.count--
	c.spare()
	if l.st.Recording() {
		l.recordPop(el, raw, false)
	}
	return el
}

func (c *listNode) firstText() string {
	if c.plain {
		return c.text
	}
	lp := c.lp()
	return lp.Text(lpHeader)
}

// recordPop journals that el was removed from an end of the list. It keeps raw, the bytes of the
// entry, only if they may differ from what el is encoded to.
func (l *List) recordPop(el string, raw []byte, front bool) {
	l.st.noteKept(len(el))
	if l.restored {
		raw = slices.Clone(raw)
		if front {
			l.st.record(func() { l.first().addFront(raw, 1); l.n++ })
		} else {
			l.st.record(func() { l.last().addBack(raw, 1); l.n++ })
		}
		return
	}
	if front {
		l.st.record(func() { l.first().pushFront(el, 0); l.n++ })
	} else {
		l.st.record(func() { l.last().pushBack(el, 0); l.n++ })
	}
}

// Set replaces element i, 0 <= i < Len. If the old or the new element is a node by itself, the new
// element is inserted after the old one, which is then removed, as in Redis.
func (l *List) Set(i int, el string) {
	k, off := l.seek(i)
	c := l.node(k)
	was := c.bytes()
	switch large := l.large(len(el)); {
	case c.plain && large:
		old := c.text
		c.text = el
		l.changed(k, was)
		if l.st.Recording() {
			l.st.noteKept(len(old))
			l.st.record(func() {
				is := l.node(k).bytes()
				l.node(k).text = old
				l.changed(k, is)
			})
		}
	case !c.plain && !large:
		lp := c.lp()
		p := lp.Seek(off)
		if l.st.Recording() {
			old := lp.Raw(p, 1)
			l.st.record(func() {
				is := l.node(k).bytes()
				l.node(k).splice(off, old)
				l.changed(k, is)
			})
		}
		lp.Replace(p, el)
		c.adopt(lp, c.count)
		l.changed(k, was)
	default:
		merges := l.st.limits.CompactLists && !c.plain
		l.recordNodes(k-1, k+4)
		l.insertAt(k, off, el, true)
		if c = l.node(k); c.count == 1 {
			l.nodes.cut(k, k+1)
		} else {
			c.cutBack(1)
			if merges { // since Redis 7.2
				l.mergeAround(k + 1)
			}
		}
		l.n--
		l.recount()
		l.renumber(max(k-2, 0), min(k+3, l.nodes.len()))
	}
}

// splice replaces the bytes of entry off.
func (c *listNode) splice(off int, raw []byte) {
	lp := c.lp()
	lp.Splice(lp.Seek(off), 1, raw, 1)
	c.adopt(lp, c.count)
}

// Insert inserts el before element i, 0 <= i <= Len.
func (l *List) Insert(i int, el string) {
	if i == l.n {
		l.PushBack(el)
		return
	}
	l.insert(i, el, false)
}

// InsertAfter inserts el after element i, 0 <= i < Len. If i is the last element of a node, the
// resulting nodes differ from those of Insert before the next element.
func (l *List) InsertAfter(i int, el string) { l.insert(i, el, true) }

func (l *List) insert(i int, el string, after bool) {
	k, off := l.seek(i)
	c := l.node(k)
	end := after && off == c.count-1 || !after && off == 0
	if !end && !l.allows(k, len(el)) { // the node will be split
		l.recordNodes(k-2, k+3)
	} else if l.st.Recording() {
		at := i
		if after {
			at++
		}
		l.st.record(func() { l.removeAt(at) })
	}
	if !l.insertAt(k, off, el, after) {
		l.recount()
		l.renumber(max(k-2, 0), min(k+4, l.nodes.len()))
	}
}

// insertAt inserts el before or after element off of node k, and journals nothing. It reports
// whether the coordinates of the nodes are right; if not, the caller must call renumber.
func (l *List) insertAt(k, off int, el string, after bool) (numbered bool) {
	c := l.node(k)
	atTail, atHead := after && off == c.count-1, !after && off == 0
	beside := k // index of a new node
	if after {
		beside++
	}
	l.n++
	switch {
	case l.allows(k, len(el)):
		if after {
			off++
		}
		was := c.bytes()
		c.insert(off, el)
		l.changed(k, was)
		l.grown(k)
		return true
	case atTail && l.allows(k+1, len(el)):
		was := l.node(k + 1).bytes()
		l.node(k+1).insert(0, el)
		l.changed(k+1, was)
		l.grown(k + 1)
		return true
	case atHead && l.allows(k-1, len(el)):
		was := l.node(k - 1).bytes()
		l.node(k-1).pushBack(el, l.full())
		l.changed(k-1, was)
		l.grown(k - 1)
		return true
	case atTail || atHead || c.plain:
		l.nodes.insert(beside, l.newNodeOf(el))
		return false
	}
	if after {
		off++
	}
	d := c.split(off)
	l.nodes.insert(k+1, d)
	switch {
	case l.large(len(el)):
		l.nodes.insert(k+1, newPlainNode(el))
		return false
	case after:
		d.insert(0, el)
		l.mergeAround(k)
	default:
		c.pushBack(el, l.full())
		l.mergeAround(k + 1)
	}
	return false
}

// insert inserts el before entry off, or at the end.
func (c *listNode) insert(off int, el string) {
	lp := c.lp()
	p := lp.End()
	if off < c.count {
		p = lp.Seek(off)
	}
	lp.InsertBefore(p, el)
	c.adopt(lp, c.count+1)
}

// grown renumbers the nodes on the shorter side after node k has got one more element.
func (l *List) grown(k int) {
	if k < l.nodes.len()/2 {
		l.shift(0, k+1, -1)
	} else {
		l.shift(k+1, l.nodes.len(), 1)
	}
}

// shift adds by to the coordinates of nodes a to b (exclusive).
func (l *List) shift(a, b, by int) {
	for _, c := range l.nodes.items()[a:b] {
		c.start += by
	}
}

// renumber corrects the coordinates, on the shorter side, after nodes a to b (exclusive) have been
// replaced.
func (l *List) renumber(a, b int) {
	if a < l.nodes.len()-b { // the nodes after them keep their coordinates
		next := l.node(b).start
		for k := b - 1; k >= 0; k-- {
			c := l.node(k)
			next -= c.count
			if c.start == next && k < a {
				return
			}
			c.start = next
		}
		return
	}
	next := 0
	if a > 0 {
		next = l.node(a-1).start + l.node(a-1).count
	}
	for k := a; k < l.nodes.len(); k++ {
		c := l.node(k)
		if c.start == next && k >= b {
			return
		}
		c.start = next
		next += c.count
	}
}

// removeAt removes element i and journals nothing.
func (l *List) removeAt(i int) {
	k, off := l.seek(i)
	l.n--
	if c := l.node(k); c.count > 1 {
		was := c.bytes()
		c.cutAt(off)
		l.changed(k, was)
		l.renumber(k, k+1)
		return
	}
	l.nodes.cut(k, k+1)
	l.recount()
	l.renumber(k, k)
}
