package datastore

import "github.com/redmoon-lua/redmoon/datastore/internal/listpack"

// packedBytes is the greatest size of a packed chunk: beyond it the elements are so long that packing saves little, and
// changing one would move many bytes.
const packedBytes = 8 << 10

// len is the number of elements.
func (c *listNode) len() int {
	if c.lp != nil {
		return c.lp.Len()
	}
	return c.window.len()
}

// items are the elements of the chunk, which is open afterwards.
func (c *listNode) items() []string {
	c.open()
	return c.window.items()
}

// open unpacks the chunk.
func (c *listNode) open() {
	lp := c.lp
	if lp == nil {
		return
	}
	c.lp = nil
	c.window = window[string]{buf: make([]string, 0, lp.Len())}
	for p := lp.First(); p != listpack.None; p = lp.Next(p) {
		c.buf = append(c.buf, lp.Text(p))
	}
	c.hi = len(c.buf)
}

// pack packs chunks a to b, b not included, but for the first and the last of the list.
func (l *List) pack(a, b int) {
	for k := max(a, 1); k < min(b, l.chunks.len()-1); k++ {
		l.node(k).pack()
	}
}

func (c *listNode) pack() {
	if c.lp != nil || c.window.len() == 0 {
		return
	}
	size := 0
	for _, el := range c.window.items() {
		if size += listpack.EntrySize(el); size > packedBytes {
			return
		}
	}
	lp := listpack.New(size)
	for _, el := range c.window.items() {
		lp.Append(el)
	}
	c.lp, c.window = lp, window[string]{}
}

// at is element i of the chunk.
func (c *listNode) at(i int) string {
	if c.lp != nil {
		return c.lp.Text(c.lp.Seek(i))
	}
	return c.window.items()[i]
}

// ascend calls f for the elements from off on, the first of which is at place i of the list, until f returns false. It
// returns the place behind the last.
func (c *listNode) ascend(off, i int, f func(i int, el string) bool) (next int, ok bool) {
	if c.lp != nil {
		for p := c.lp.Seek(off); p != listpack.None; p = c.lp.Next(p) {
			if !f(i, c.lp.Text(p)) {
				return i, false
			}
			i++
		}
		return i, true
	}
	for _, el := range c.window.items()[off:] {
		if !f(i, el) {
			return i, false
		}
		i++
	}
	return i, true
}

// descend is ascend from off towards the front.
func (c *listNode) descend(off, i int, f func(i int, el string) bool) (next int, ok bool) {
	if c.lp != nil {
		for p := c.lp.Seek(off); p != listpack.None; p = c.lp.Prev(p) {
			if !f(i, c.lp.Text(p)) {
				return i, false
			}
			i--
		}
		return i, true
	}
	for items := c.window.items(); off >= 0; off-- {
		if !f(i, items[off]) {
			return i, false
		}
		i--
	}
	return i, true
}

// contains reports whether an element is equal to el.
func (c *listNode) contains(el string) bool {
	if c.lp != nil {
		return c.lp.Find(c.lp.First(), el, 0) != listpack.None
	}
	for _, s := range c.window.items() {
		if s == el {
			return true
		}
	}
	return false
}

// fits reports whether el may come into the chunk, packed as it is. If not, the chunk is opened.
func (c *listNode) fits(el string) bool {
	if c.lp != nil && len(c.lp)+listpack.EntrySize(el) > 2*packedBytes {
		c.open()
	}
	return c.lp != nil
}

// set replaces element i of the chunk.
func (c *listNode) set(i int, el string) (old string) {
	if c.fits(el) {
		p := c.lp.Seek(i)
		old = c.lp.Text(p)
		c.lp.Replace(p, el)
		return old
	}
	p := &c.window.items()[i]
	old, *p = *p, el
	return old
}

// insert puts el before element i of the chunk, i < len.
func (c *listNode) insert(i int, el string) {
	if c.fits(el) {
		c.lp.InsertBefore(c.lp.Seek(i), el)
		return
	}
	c.window.insert(i, el)
}

// removeAt removes element i of the chunk.
func (c *listNode) removeAt(i int) {
	if c.lp != nil {
		c.lp.Delete(c.lp.Seek(i))
		return
	}
	c.window.cut(i, i+1)
}
