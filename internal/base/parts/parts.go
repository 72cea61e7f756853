package parts

import "unsafe"

// Sizes of parts, in bytes.
const (
	least = 64 << 10
	most  = 8 << 20
	// returned is the size from which a part is given back to the system when it has been copied.
	returned = 1 << 20
)

// Text is a text that arrives. Make it with [New].
type Text struct {
	size, have, room int
	list             [][]byte // the last one may have room
}

// New returns a text of size bytes, the first of which have arrived. It copies them.
func New(size int, first []byte) *Text {
	t := &Text{size: size}
	if len(first) > 0 {
		t.grow(len(first))
		t.list[0] = append(t.list[0], first...)
		t.have = len(first)
	}
	return t
}

// grow adds a part with room for n bytes or more.
func (t *Text) grow(n int) {
	n = min(max(n, least, min(t.have/2, most)), t.size-t.have)
	t.list = append(t.list, make([]byte, 0, n))
	t.room += n
}

// Room returns where the next bytes must be read into. It is empty only if the text is whole. Each
// call must be followed by [Text.Fill].
func (t *Text) Room() []byte {
	if t.Whole() {
		return nil
	}
	if t.have == t.room {
		t.grow(0)
	}
	last := t.list[len(t.list)-1]
	return last[len(last):cap(last)]
}

// Fill adds the n bytes that have been read into Room.
func (t *Text) Fill(n int) {
	last := &t.list[len(t.list)-1]
	*last = (*last)[:len(*last)+n]
	t.have += n
}

// Write adds bytes, at most as many as are missing. It returns how many.
func (t *Text) Write(b []byte) (n int) {
	for len(b) > 0 && !t.Whole() {
		k := copy(t.Room(), b)
		t.Fill(k)
		n, b = n+k, b[k:]
	}
	return n
}

// Len returns the number of bytes that have arrived.
func (t *Text) Len() int { return t.have }

// Whole reports whether all bytes have arrived.
func (t *Text) Whole() bool { return t.have == t.size }

// Held returns the number of bytes of memory that the text takes.
func (t *Text) Held() int { return t.room }

// Take returns the bytes of the text, which must be whole. The Text must not be used after it. The
// bytes belong to the caller.
func (t *Text) Take() []byte {
	if len(t.list) == 1 {
		return t.list[0]
	}
	return t.AppendTo(make([]byte, 0, t.size))
}

// AppendTo is Take, but appends the bytes to b.
func (t *Text) AppendTo(b []byte) []byte {
	for i, part := range t.list {
		b = append(b, part...)
		if cap(part) >= returned {
			discard(part)
		}
		t.list[i] = nil
	}
	return b
}

// String is Take for a string.
func (t *Text) String() string {
	b := t.Take()
	return unsafe.String(unsafe.SliceData(b), len(b))
}
