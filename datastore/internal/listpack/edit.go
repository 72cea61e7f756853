package listpack

import (
	"encoding/binary"
	"slices"
)

// Append adds a text at the end.
func (l *List) Append(s string) { l.InsertBefore(l.End(), s) }

// AppendInt adds an integer at the end.
func (l *List) AppendInt(n int64) { l.InsertIntBefore(l.End(), n) }

// InsertBefore inserts a text before the entry at p, or at the end, and returns its position, p.
func (l *List) InsertBefore(p int, s string) int {
	if len(s) > smallText {
		return l.insertLarge(p, p, s, 1)
	}
	var b [smallText + 8]byte
	return l.put(p, p, appendText(b[:0], s), 1)
}

// InsertIntBefore is InsertBefore for an integer.
func (l *List) InsertIntBefore(p int, n int64) int {
	var b [11]byte
	return l.put(p, p, appendInt(b[:0], n), 1)
}

// InsertAfter inserts a text after the entry at p and returns its position.
func (l *List) InsertAfter(p int, s string) int { return l.InsertBefore(l.skip(p), s) }

// InsertIntAfter is InsertAfter for an integer.
func (l *List) InsertIntAfter(p int, n int64) int { return l.InsertIntBefore(l.skip(p), n) }

// Replace replaces the entry at p by a text at the same position.
func (l *List) Replace(p int, s string) {
	if len(s) > smallText {
		l.insertLarge(p, l.skip(p), s, 0)
		return
	}
	var b [smallText + 8]byte
	l.put(p, l.skip(p), appendText(b[:0], s), 0)
}

// ReplaceInt is Replace with an integer.
func (l *List) ReplaceInt(p int, n int64) {
	var b [11]byte
	l.put(p, l.skip(p), appendInt(b[:0], n), 0)
}

// Delete removes the entry at p and returns the position of the next one, or None.
func (l *List) Delete(p int) (next int) {
	l.put(p, l.skip(p), nil, -1)
	return l.entry(p)
}

// DeleteAt removes at most n entries from p on, and returns the position of the next one, or None.
// n must be above 0.
func (l *List) DeleteAt(p, n int) (next int) {
	end, gone := p, 0
	for ; gone < n && (*l)[end] != eof; gone++ {
		end = l.skip(end)
	}
	l.put(p, end, nil, -gone)
	return l.entry(p)
}

// DeleteRange removes at most n entries from entry i on; a negative i counts from the end.
func (l *List) DeleteRange(i, n int) {
	if n <= 0 {
		return
	}
	if p := l.Seek(i); p != None {
		l.DeleteAt(p, n)
	}
}

// Raw returns a copy of the bytes of n entries from p on, for [List.Splice].
func (l List) Raw(p, n int) []byte {
	end := p
	for ; n > 0; n-- {
		end = l.skip(end)
	}
	return slices.Clone(l[p:end])
}

// Splice replaces n entries from p on by count entries, the bytes raw, which [List.Raw] returned. p
// may be the end.
func (l *List) Splice(p, n int, raw []byte, count int) {
	end := p
	for range n {
		end = l.skip(end)
	}
	l.put(p, end, raw, count-n)
}

// smallText is the length of the longest text that is encoded on the stack before it is inserted.
const smallText = 120

// insertLarge replaces the bytes [from:to] by the entry of a text.
func (l *List) insertLarge(from, to int, s string, more int) int {
	return l.put(from, to, appendText(make([]byte, 0, len(s)+10), s), more)
}

// put replaces the bytes [from:to] by entries and adds more to the number of entries. It returns
// from.
func (l *List) put(from, to int, entries []byte, more int) int {
	b := *l
	size := len(b) + len(entries) - (to - from)
	if size <= cap(b) {
		old := len(b)
		b = b[:max(size, old)]
		copy(b[from+len(entries):], b[to:old])
		b = b[:size]
	} else {
		// The capacity is only what the allocator gives anyway: many lists stay small, and memory
		// is more important than an occasional copy.
		b = append(List(nil), make(List, size)...)
		copy(b, (*l)[:from])
		copy(b[from+len(entries):], (*l)[to:])
	}
	copy(b[from:], entries)
	binary.LittleEndian.PutUint32(b, uint32(size))
	if n := b.headerCount(); more != 0 && n != unknown {
		b.setCount(min(n+more, unknown))
	}
	*l = b
	return from
}

// Grow ensures capacity for n more bytes.
func (l *List) Grow(n int) { *l = slices.Grow(*l, n) }

// GrowWithin ensures capacity for n more bytes, by doubling, but not beyond most bytes unless
// needed.
func (l *List) GrowWithin(n, most int) {
	need := len(*l) + n
	if need <= cap(*l) {
		return
	}
	room := max(need, min(2*cap(*l), most))
	*l = append(slices.Grow(List(nil), room), *l...)
}

// Clone returns a copy without spare capacity.
func (l List) Clone() List { return append(List(nil), l...) }
