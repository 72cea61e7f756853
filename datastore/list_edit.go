package datastore

import "slices"

// PushFront puts el before the first element.
func (l *List) PushFront(el string) {
	l.pushFront(el)
	if l.st.Recording() {
		l.st.record(func() { l.popFront() })
	}
}

// PushBack puts el behind the last element.
func (l *List) PushBack(el string) {
	l.pushBack(el)
	if l.st.Recording() {
		l.st.record(func() { l.popBack() })
	}
}

// PopFront removes the first element and returns it. Caller must know that the list is not empty.
func (l *List) PopFront() string {
	el := l.popFront()
	if l.st.Recording() {
		l.st.record(func() { l.pushFront(el) })
	}
	return el
}

// PopBack removes the last element and returns it. Caller must know that the list is not empty.
func (l *List) PopBack() string {
	el := l.popBack()
	if l.st.Recording() {
		l.st.record(func() { l.pushBack(el) })
	}
	return el
}

// Set replaces element i, 0 <= i < Len.
func (l *List) Set(i int, el string) {
	old := l.set(i, el)
	if l.st.Recording() {
		l.st.record(func() { l.set(i, old) })
	}
}

func (l *List) set(i int, el string) (old string) {
	k, off := l.seek(i)
	return l.node(k).set(off, el)
}

// Insert puts el before element i, 0 <= i <= Len.
func (l *List) Insert(i int, el string) {
	l.insert(i, el)
	if l.st.Recording() {
		l.st.record(func() { l.removeAt(i) })
	}
}

func (l *List) insert(i int, el string) {
	switch i {
	case 0:
		l.pushFront(el)
		return
	case l.n:
		l.pushBack(el)
		return
	}
	k, off := l.seek(i)
	if l.node(k).len() == listChunk {
		l.split(k)
		defer l.pack(k, k+2)
		if half := l.node(k).len(); off >= half {
			k, off = k+1, off-half
		}
	}
	l.node(k).insert(off, el)
	l.n++
	if k < l.chunks.len()/2 {
		l.shift(0, k+1, -1)
	} else {
		l.shift(k+1, l.chunks.len(), 1)
	}
}

// split gives the second half of chunk k to a new chunk.
func (l *List) split(k int) {
	c := l.node(k)
	c.open()
	half := c.len() / 2
	d := &listNode{window: window[string]{buf: make([]string, listChunk)}, start: c.start + half}
	d.hi = copy(d.buf, c.items()[half:])
	c.cut(half, c.len())
	l.chunks.insert(k+1, d)
}

// shift renumbers chunks a to b, b not included.
func (l *List) shift(a, b, by int) {
	for _, c := range l.chunks.items()[a:b] {
		c.start += by
	}
}

func (l *List) removeAt(i int) {
	k, off := l.seek(i)
	l.node(k).removeAt(off)
	l.n--
	l.mend(k, k+1)
	l.pack(k-1, k+2)
}

// Remove removes the first count elements equal to el; of a negative count the last -count, of 0
// all. It tells how many it removed.
func (l *List) Remove(count int, el string) int {
	if l.n == 0 {
		return 0
	}
	left, back := count, count < 0
	if back {
		left = -count
	}
	if left <= 0 { // 0, or the least integer
		left = l.n
	}
	var undo []int // the places
	removed, a, b := 0, l.chunks.len(), 0
	for i := range l.chunks.len() {
		k := i
		if back {
			k = l.chunks.len() - 1 - i
		}
		c := l.node(k)
		if !c.contains(el) {
			continue
		}
		if l.st.Recording() {
			undo = c.places(undo, el, left-removed, back, c.start-l.first().start)
		}
		removed += c.remove(el, left-removed, back)
		a, b = min(a, k), max(b, k+1)
		if removed == left {
			break
		}
	}
	if removed == 0 {
		return 0
	}
	if l.st.Recording() {
		slices.Sort(undo)
		l.st.record(func() { l.putBack(undo, el) })
	}
	l.n -= removed
	l.mend(a, b)
	l.pack(a-1, b+1)
	return removed
}

// remove removes up to limit elements equal to el, the last ones when back is set.
func (c *listNode) remove(el string, limit int, back bool) int {
	items, n := c.items(), 0
	if back {
		to := len(items)
		for i := len(items) - 1; i >= 0; i-- {
			if n < limit && items[i] == el {
				n++
				continue
			}
			to--
			items[to] = items[i]
		}
		clear(items[:to])
		c.lo += n
		return n
	}
	kept := items[:0]
	for _, s := range items {
		if n < limit && s == el {
			n++
			continue
		}
		kept = append(kept, s)
	}
	clear(items[len(kept):])
	c.hi -= n
	return n
}

// places appends the places that remove takes, counted from base.
func (c *listNode) places(out []int, el string, limit int, back bool, base int) []int {
	items := c.items()
	for j := range items {
		i := j
		if back {
			i = len(items) - 1 - j
		}
		if limit > 0 && items[i] == el {
			out = append(out, base+i)
			limit--
		}
	}
	return out
}

// putBack undoes Remove: el comes back at the places, which ascend.
func (l *List) putBack(places []int, el string) {
	out := List{st: l.st}
	l.Ascend(0, func(_ int, s string) bool {
		for len(places) > 0 && places[0] == out.n {
			out.pushBack(el)
			places = places[1:]
		}
		out.pushBack(s)
		return true
	})
	for range places {
		out.pushBack(el)
	}
	l.chunks, l.n = out.chunks, out.n
}

// mend puts the chunks right after elements of chunks a to b (b not included) have been taken out: empty
// ones go, small neighbours become one, and the shorter side is renumbered.
func (l *List) mend(a, b int) {
	a, b = max(a-1, 0), min(b+1, l.chunks.len())
	span := l.chunks.items()[a:b]
	kept := span[:1]
	for _, c := range span[1:] {
		switch prev := kept[len(kept)-1]; {
		case prev.len() == 0:
			kept[len(kept)-1] = c
		case c.len() == 0:
		case prev.len()+c.len() <= listChunk/2:
			prev.take(c)
		default:
			kept = append(kept, c)
		}
	}
	l.chunks.cut(a+len(kept), b)
	b = a + len(kept)
	if a < l.chunks.len()-b { // what is behind keeps its numbers
		next := l.node(b).start
		for k := b - 1; k >= 0; k-- {
			c := l.node(k)
			next -= c.len()
			if c.start == next && k < a {
				break
			}
			c.start = next
		}
		return
	}
	next := l.first().start
	if a > 0 {
		next = l.node(a-1).start + l.node(a-1).len()
	}
	for k := a; k < l.chunks.len(); k++ {
		l.node(k).start = next
		next += l.node(k).len()
	}
}

// take moves the elements of d behind those of c.
func (c *listNode) take(d *listNode) {
	c.open()
	for _, s := range d.items() {
		c.pushBack(s)
	}
}

// Trim keeps the elements from place start to stop, both included; start > stop keeps none.
// Caller must have brought both into 0 <= place < Len.
func (l *List) Trim(start, stop int) {
	front, back := start, l.n-1-stop
	if start > stop {
		front, back = l.n, 0
	}
	if l.st.Recording() {
		l.recordTrim(front, back)
	}
	for ; front > 0; front -= l.dropFront(front) {
	}
	for ; back > 0; back -= l.dropBack(back) {
	}
}

func (l *List) recordTrim(front, back int) {
	lost := make([]string, 0, front+back)
	l.Ascend(0, func(i int, s string) bool {
		if i < front {
			lost = append(lost, s)
		}
		return i < front-1
	})
	l.Ascend(l.n-back, func(_ int, s string) bool {
		lost = append(lost, s)
		return true
	})
	l.st.record(func() {
		for i := front - 1; i >= 0; i-- {
			l.pushFront(lost[i])
		}
		for _, s := range lost[front:] {
			l.pushBack(s)
		}
	})
}

// dropFront removes up to n elements of the first chunk and tells how many.
func (l *List) dropFront(n int) int {
	c := l.first()
	n = min(n, c.len())
	if n == c.len() && l.chunks.len() > 1 {
		l.chunks.popFront()
	} else {
		clear(c.items()[:n])
		c.lo += n
		c.start += n
	}
	l.n -= n
	return n
}

func (l *List) dropBack(n int) int {
	c := l.last()
	n = min(n, c.len())
	if n == c.len() && l.chunks.len() > 1 {
		l.chunks.popBack()
	} else {
		clear(c.items()[c.len()-n:])
		c.hi -= n
	}
	l.n -= n
	return n
}
