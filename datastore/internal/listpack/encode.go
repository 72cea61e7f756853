package listpack

import (
	"encoding/binary"
	"math"

	"github.com/redmoon-lua/redmoon/internal/base/decimal"
)

// encodedSize returns the size of the entry at p without the length at its end.
func (l List) encodedSize(p int) int {
	c := l[p]
	switch {
	case c < 0x80:
		return 1
	case c < 0xc0:
		return 1 + int(c&0x3f)
	case c < 0xe0:
		return 2
	case c < 0xf0:
		return 2 + (int(c&0x0f)<<8 | int(l[p+1]))
	}
	switch c {
	case 0xf0:
		return 5 + int(binary.LittleEndian.Uint32(l[p+1:]))
	case 0xf1:
		return 3
	case 0xf2:
		return 4
	case 0xf3:
		return 5
	}
	return 9
}

// backlenSize returns the number of bytes of the length n at the end of an entry. The limits are
// Redis's, which leave the greatest number of each size unused.
func backlenSize(n int) int {
	switch {
	case n <= 127:
		return 1
	case n < 1<<14-1:
		return 2
	case n < 1<<21-1:
		return 3
	case n < 1<<28-1:
		return 4
	}
	return 5
}

// backlen reads the length of an entry backwards from its last byte p; size is the number of bytes
// of the length, 0 if there are more than 5.
func (l List) backlen(p int) (n, size int) {
	for shift := 0; shift <= 28; shift += 7 {
		n |= int(l[p]&0x7f) << shift
		size++
		if l[p]&0x80 == 0 {
			return n, size
		}
		p--
	}
	return 0, 0
}

// appendBacklen appends the length n of an entry.
func appendBacklen(b []byte, n int) []byte {
	if n <= 127 {
		return append(b, byte(n))
	}
	i := backlenSize(n) - 1
	b = append(b, byte(n>>(7*i))&0x7f)
	for i--; i >= 0; i-- {
		b = append(b, byte(n>>(7*i))|0x80)
	}
	return b
}

// appendText appends the entry of a text, as an integer if it is one.
func appendText(b []byte, s string) []byte {
	if n, ok := decimal.Parse(s); ok {
		return appendInt(b, n)
	}
	start := len(b)
	switch n := len(s); {
	case n < 64:
		b = append(b, 0x80|byte(n))
	case n < 4096:
		b = append(b, 0xe0|byte(n>>8), byte(n))
	default:
		b = binary.LittleEndian.AppendUint32(append(b, 0xf0), uint32(n))
	}
	b = append(b, s...)
	return appendBacklen(b, len(b)-start)
}

// appendInt appends the entry of an integer.
func appendInt(b []byte, n int64) []byte {
	start := len(b)
	switch {
	case n >= 0 && n <= 127:
		b = append(b, byte(n))
	case n >= -4096 && n <= 4095:
		b = append(b, 0xc0|byte(n>>8)&0x1f, byte(n))
	case n >= math.MinInt16 && n <= math.MaxInt16:
		b = binary.LittleEndian.AppendUint16(append(b, 0xf1), uint16(n))
	case n >= -1<<23 && n < 1<<23:
		b = append(b, 0xf2, byte(n), byte(n>>8), byte(n>>16))
	case n >= math.MinInt32 && n <= math.MaxInt32:
		b = binary.LittleEndian.AppendUint32(append(b, 0xf3), uint32(n))
	default:
		b = binary.LittleEndian.AppendUint64(append(b, 0xf4), uint64(n))
	}
	return appendBacklen(b, len(b)-start)
}

// EntrySize returns the size in bytes of the entry of a text.
func EntrySize(s string) int {
	n := len(s)
	if v, ok := decimal.Parse(s); ok {
		var b [11]byte
		return len(appendInt(b[:0], v))
	}
	switch {
	case n < 64:
		n++
	case n < 4096:
		n += 2
	default:
		n += 5
	}
	return n + backlenSize(n)
}
