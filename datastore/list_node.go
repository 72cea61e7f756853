package datastore

import (
	"errors"
	"fmt"

	"github.com/redmoon-lua/redmoon/datastore/internal/listpack"
)

// listNode is a node of a list: one large element, or a listpack with free space at both ends, so
// that pushing and popping do not move the other entries.
//
// The entries are buf[from:to]. The bytes of the listpack's header before them and of its end byte
// after them are reserved; lp writes them.
type listNode struct {
	buf      []byte
	from, to int
	text     string // the element of a plain node
	start    int    // coordinate of the first element
	count    int    // elements
	plain    bool   // one element, in text
}

const (
	lpHeader  = 6            // bytes before the entries of a listpack
	lpOutside = lpHeader + 1 // and the end byte after them
)

// newListNode returns a node with count entries, the bytes raw, which are copied.
func newListNode(raw []byte, count int) *listNode {
	c := &listNode{buf: newBuffer(len(raw) + lpOutside), from: lpHeader, to: lpHeader + len(raw), count: count}
	copy(c.buf[c.from:], raw)
	return c
}

func newPlainNode(el string) *listNode { return &listNode{text: el, count: 1, plain: true} }

// newBuffer returns at least size bytes: as many as the allocator gives.
func newBuffer(size int) []byte {
	b := append([]byte(nil), make([]byte, size)...)
	return b[:cap(b)]
}

// size is the number of bytes of the node in a dump, before compression.
func (c *listNode) size() int {
	if c.plain {
		return len(c.text)
	}
	return c.to - c.from + lpOutside
}

// lp returns the node as a listpack, valid until the node changes.
func (c *listNode) lp() listpack.List {
	l := listpack.List(c.buf[c.from-lpHeader : c.to+1])
	l.Frame(c.count)
	return l
}

// adopt makes l, the result of changing lp, the content of the node.
func (c *listNode) adopt(l listpack.List, count int) {
	if &l[0] == &c.buf[c.from-lpHeader] {
		c.to = c.from - lpOutside + len(l)
	} else {
		c.buf, c.from, c.to = l[:cap(l)], lpHeader, len(l)-1
	}
	c.count = count
}

// raw returns the bytes of the entries.
func (c *listNode) raw() []byte { return c.buf[c.from:c.to] }

// makeRoom ensures that size bytes are free before the entries, or after them if front is false. A
// node that grows by pushes at one end only gets all free space there, and no more than a full node
// (of full bytes) needs. Otherwise both ends share the free space, and there is so much of it that
// the bytes moved are in proportion to the bytes pushed since.
func (c *listNode) makeRoom(size int, front bool, full int) {
	before, behind := c.from-lpHeader, len(c.buf)-1-c.to
	other := behind
	if front {
		if before >= size {
			return
		}
	} else {
		if behind >= size {
			return
		}
		other = before
	}
	used, free := c.to-c.from, before+behind
	buf := c.buf
	if free-size < used/2 {
		want := used + lpOutside + max(size, used)
		if other == 0 {
			want = min(want, max(full, used+lpOutside+size))
		}
		buf = newBuffer(want)
		free = len(buf) - lpOutside - used
	}
	from := lpHeader
	switch {
	case other > 0 && front:
		from += size + (free-size)/2
	case other > 0:
		from += (free - size) / 2
	case front:
		from += free
	}
	copy(buf[from:], c.raw())
	c.buf, c.from, c.to = buf, from, from+used
}

// fit releases free space if there is much of it.
func (c *listNode) fit() {
	if used := c.to - c.from; !c.plain && len(c.buf)-lpOutside-used > used/8+16 {
		c.resize(used)
	}
}

// spare releases free space if popping has left very much of it.
func (c *listNode) spare() {
	if used := c.to - c.from; len(c.buf) > 512 && used < len(c.buf)/8 {
		c.resize(2 * used)
	}
}

// resize moves the entries to a new buffer with room for size bytes of entries.
func (c *listNode) resize(size int) {
	buf := newBuffer(size + lpOutside)
	used := c.to - c.from
	from := lpHeader + (len(buf)-lpOutside-used)/2
	copy(buf[from:], c.raw())
	c.buf, c.from, c.to = buf, from, from+used
}

// pushFront and pushBack add an element to a listpack of up to full bytes.
func (c *listNode) pushFront(el string, full int) {
	size := listpack.EntrySize(el)
	if c.from-lpHeader < size {
		c.makeRoom(size, true, full)
	}
	c.from -= size
	listpack.AppendText(c.buf[:c.from], el)
	c.count++
	c.start--
}

func (c *listNode) pushBack(el string, full int) {
	const most = 11 // maximal bytes of an entry in addition to its text
	if len(c.buf)-1-c.to < len(el)+most {
		c.makeRoom(listpack.EntrySize(el), false, full)
	}
	c.to = len(listpack.AppendText(c.buf[:c.to], el))
	c.count++
}

// addFront and addBack add the n entries raw at an end.
func (c *listNode) addFront(raw []byte, n int) {
	c.makeRoom(len(raw), true, 0)
	c.from -= len(raw)
	copy(c.buf[c.from:], raw)
	c.count += n
	c.start -= n
}

func (c *listNode) addBack(raw []byte, n int) {
	c.makeRoom(len(raw), false, 0)
	c.to += copy(c.buf[c.to:], raw)
	c.count += n
}

// cutFront and cutBack remove n entries, fewer than there are, and return their bytes, valid until
// the next change.
func (c *listNode) cutFront(n int) (raw []byte) {
	at := c.from - lpHeader + c.lp().Seek(n)
	raw = c.buf[c.from:at]
	c.from = at
	c.count -= n
	c.start += n
	c.spare()
	return raw
}

func (c *listNode) cutBack(n int) (raw []byte) {
	at := c.from - lpHeader + c.lp().Seek(-n)
	raw = c.buf[at:c.to]
	c.to = at
	c.count -= n
	c.spare()
	return raw
}

// cutAt removes entry off.
func (c *listNode) cutAt(off int) {
	lp := c.lp()
	lp.Delete(lp.Seek(off))
	c.adopt(lp, c.count-1)
}

// split keeps the entries before off, and returns a node with the others.
func (c *listNode) split(off int) *listNode {
	at := c.from - lpHeader + c.lp().Seek(off)
	d := newListNode(c.buf[at:c.to], c.count-off)
	c.to, c.count = at, off
	c.fit()
	return d
}

// matches counts the entries equal to el.
func (c *listNode) matches(el string) (n int) {
	if c.plain {
		if c.text == el {
			n = 1
		}
		return n
	}
	lp := c.lp()
	for p := lp.Find(lp.First(), el, 0); p != listpack.None; p = lp.Find(lp.Next(p), el, 0) {
		n++
	}
	return n
}

// remove removes n entries equal to el, after skipping the first skip of them.
func (c *listNode) remove(el string, skip, n int) {
	lp := c.lp()
	kept, read := lpHeader, lpHeader
	c.count -= n
	for p := lp.Find(lp.First(), el, 0); n > 0; {
		next, end := lp.Next(p), lp.Behind(p)
		if skip > 0 {
			skip--
		} else {
			kept += copy(lp[kept:], lp[read:p])
			read = end
			n--
		}
		p = lp.Find(next, el, 0)
	}
	kept += copy(lp[kept:], lp[read:lp.End()])
	c.to = c.from - lpHeader + kept
	c.spare()
}

// clone returns a copy without free space.
func (c *listNode) clone() *listNode {
	if c.plain {
		d := *c
		return &d
	}
	d := newListNode(c.raw(), c.count)
	d.start = c.start
	return d
}

// bytes is the heap size of the node.
func (c *listNode) bytes() int { return 96 + textSize(len(c.buf)) + textSize(len(c.text)) }

func (c *listNode) check() error {
	switch {
	case c.count == 0:
		return errors.New("is empty")
	case c.plain && c.count != 1:
		return fmt.Errorf("is plain with %d elements", c.count)
	case c.plain:
		return nil
	case c.from < lpHeader || c.to >= len(c.buf):
		return fmt.Errorf("entries %d to %d of %d bytes", c.from, c.to, len(c.buf))
	}
	if err := listpack.Validate(c.lp(), true); err != nil {
		return err
	}
	n := 0
	for lp, p := c.lp(), lpHeader; p != listpack.None; p = lp.Next(p) {
		n++
	}
	if n != c.count {
		return fmt.Errorf("%d elements, counted %d", c.count, n)
	}
	return nil
}
