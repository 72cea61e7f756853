package listpack

import (
	"encoding/binary"
	"strconv"
	"unsafe"

	"github.com/redmoon-lua/redmoon/internal/base/decimal"
)

// List is a listpack. The zero List is not one; use [New], or bytes that [Validate] has accepted.
type List []byte

const (
	headerSize = 6
	eof        = 0xff
	// unknown in the header's count means that the entries must be counted.
	unknown = 65535
)

// None is the position that means "no entry".
const None = 0

// New returns an empty listpack with capacity for size bytes.
func New(size int) List {
	l := make(List, headerSize+1, max(size, headerSize+1))
	binary.LittleEndian.PutUint32(l, headerSize+1)
	l[headerSize] = eof
	return l
}

// Len returns the number of entries. If the header does not have it, Len counts them, and writes
// the number to the header if it fits.
func (l List) Len() int {
	if n := l.headerCount(); n != unknown {
		return n
	}
	n := 0
	for p := l.First(); p != None; p = l.Next(p) {
		n++
	}
	if n < unknown {
		l.setCount(n)
	}
	return n
}

// headerCount returns the number of entries in the header, or unknown.
func (l List) headerCount() int { return int(binary.LittleEndian.Uint16(l[4:])) }

func (l List) setCount(n int) { binary.LittleEndian.PutUint16(l[4:], uint16(n)) }

// First returns the position of the first entry, or None.
func (l List) First() int { return l.entry(headerSize) }

// Last returns the position of the last entry, or None.
func (l List) Last() int { return l.Prev(l.End()) }

// End returns the offset after the last entry. It is not the position of an entry, but InsertBefore
// and Prev accept it.
func (l List) End() int { return len(l) - 1 }

// Next returns the position of the entry after p, or None.
func (l List) Next(p int) int {
	switch c := l[p]; {
	case c < 0x80:
		p += 2
	case c < 0xc0:
		p += 2 + int(c&0x3f)
	default:
		p = l.skip(p)
	}
	return l.entry(p)
}

// Prev returns the position of the entry before p, or None.
func (l List) Prev(p int) int {
	if p == headerSize {
		return None
	}
	n, _ := l.backlen(p - 1)
	return p - n - backlenSize(n) // the size that Validate accepts: damaged bytes may use more
}

// entry returns p, or None if p is the end.
func (l List) entry(p int) int {
	if l[p] == eof {
		return None
	}
	return p
}

// skip returns the offset after the entry at p.
func (l List) skip(p int) int {
	n := l.encodedSize(p)
	return p + n + backlenSize(n)
}

// Seek returns the position of entry i, or None if there is none. A negative i counts from the end:
// -1 is the last entry.
func (l List) Seek(i int) int {
	n := l.headerCount()
	if n == unknown {
		if i >= 0 {
			return l.seekForward(i)
		}
		return l.seekBack(-i - 1)
	}
	if i < 0 {
		i += n
	}
	switch {
	case i < 0 || i >= n:
		return None
	case i > n/2:
		return l.seekBack(n - 1 - i)
	}
	return l.seekForward(i)
}

func (l List) seekForward(i int) int {
	p := l.First()
	for ; i > 0 && p != None; i-- {
		p = l.Next(p)
	}
	return p
}

func (l List) seekBack(i int) int {
	p := l.Last()
	for ; i > 0 && p != None; i-- {
		p = l.Prev(p)
	}
	return p
}

// Get returns the entry at p: an integer, or a text, which is valid until the list changes.
func (l List) Get(p int) (text []byte, n int64, isInt bool) {
	c := l[p]
	switch {
	case c < 0x80:
		return nil, int64(c), true
	case c < 0xc0:
		return l[p+1 : p+1+int(c&0x3f)], 0, false
	case c < 0xe0:
		u := uint16(c&0x1f)<<8 | uint16(l[p+1])
		return nil, int64(int16(u<<3) >> 3), true
	case c < 0xf0:
		return l[p+2 : p+2+(int(c&0x0f)<<8|int(l[p+1]))], 0, false
	}
	d := l[p+1:]
	switch c {
	case 0xf0:
		return d[4 : 4+binary.LittleEndian.Uint32(d)], 0, false
	case 0xf1:
		return nil, int64(int16(binary.LittleEndian.Uint16(d))), true
	case 0xf2:
		return nil, int64(int32(uint32(d[0])<<8|uint32(d[1])<<16|uint32(d[2])<<24) >> 8), true
	case 0xf3:
		return nil, int64(int32(binary.LittleEndian.Uint32(d))), true
	}
	return nil, int64(binary.LittleEndian.Uint64(d)), true
}

// Text returns the entry at p as a string; an integer in decimal.
func (l List) Text(p int) string {
	text, n, isInt := l.Get(p)
	if isInt {
		return strconv.FormatInt(n, 10)
	}
	return string(text)
}

// AppendTexts appends all entries to dst as strings. They are parts of l: the caller must not use
// them after l has changed.
func (l List) AppendTexts(dst []string) []string {
	for p := l.First(); p != None; p = l.Next(p) {
		text, n, isInt := l.Get(p)
		if isInt {
			dst = append(dst, strconv.FormatInt(n, 10))
		} else {
			dst = append(dst, unsafe.String(unsafe.SliceData(text), len(text)))
		}
	}
	return dst
}

// Int returns the integer of the entry at p; ok is false for a text.
func (l List) Int(p int) (n int64, ok bool) {
	_, n, ok = l.Get(p)
	return n, ok
}

// Equal reports whether the text of the entry at p is s.
func (l List) Equal(p int, s string) bool {
	text, n, isInt := l.Get(p)
	if !isInt {
		return string(text) == s
	}
	m, ok := decimal.Parse(s)
	return ok && m == n
}

// Compare compares the text of the entry at p with s by their bytes. The result is below 0, 0 or
// above 0.
func (l List) Compare(p int, s string) int {
	text, n, isInt := l.Get(p)
	if isInt {
		var b [20]byte
		text = strconv.AppendInt(b[:0], n, 10)
	}
	switch {
	case string(text) < s:
		return -1
	case string(text) > s:
		return 1
	}
	return 0
}

// Find returns the position of the first entry equal to s, or None. It begins at p, which may be
// None, and skips skip entries after each comparison.
//
// Most of the time goes into finding the beginning of the next entry, so short entries, the most
// frequent, are skipped inline, without a call.
func (l List) Find(p int, s string, skip int) int {
	if p == None {
		return None
	}
	num, isNum := decimal.Parse(s)
	// first byte of s as a small integer, as a short text
	small, short, last := byte(eof), byte(eof), byte(0)
	if isNum && num >= 0 && num < 0x80 {
		small = byte(num)
	}
	if n := len(s); n > 0 && n < 64 {
		short, last = 0x80|byte(n), s[n-1]
	} else if n == 0 {
		short, last = 0x80, 0x80
	}
	for {
		c := l[p]
		switch {
		case c < 0x80:
			if c == small {
				return p
			}
			p += 2
		case c < 0xc0:
			if c == short && l[p+len(s)] == last && string(l[p+1:p+1+len(s)]) == s {
				return p
			}
			p += 2 + int(c&0x3f)
		case c == eof:
			return None
		default:
			if text, n, isInt := l.Get(p); isInt && isNum && n == num || !isInt && string(text) == s {
				return p
			}
			p = l.skip(p)
		}
		for k := skip; k > 0; k-- {
			switch c := l[p]; {
			case c < 0x80:
				p += 2
			case c < 0xc0:
				p += 2 + int(c&0x3f)
			case c == eof:
				return None
			default:
				p = l.skip(p)
			}
		}
	}
}
