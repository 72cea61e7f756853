package datastore

import (
	"crypto/subtle"
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// Bits are numbered from the highest bit of the first byte, so that bit 0 of "\x80" is 1. Bits
// after the end of a value are 0.

// bytesOf returns the bytes of text without copying. The caller must not write to them.
func bytesOf(text string) []byte { return unsafe.Slice(unsafe.StringData(text), len(text)) }

// word reads 8 bytes. Its callers do not depend on the byte order.
func word(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// Bit returns the bit at offset: 0 or 1.
func (s *String) Bit(offset int64) int {
	text, i := s.view(), offset>>3
	if i >= int64(len(text)) {
		return 0
	}
	return int(text[i]>>(7-offset&7)) & 1
}

// SetBit sets a bit to 0 or 1. It returns the old bit, and whether the bits or the length of s
// changed. The encoding becomes raw in any case.
func (s *String) SetBit(st *Store, offset int64, bit int) (was int, changed bool) {
	i, shift := int(offset>>3), 7-offset&7
	was, changed = s.Bit(offset), i >= s.Len()
	if was != bit {
		changed = true
	}
	if changed || s.enc != encRaw {
		b := s.open(st, i, i+1)
		b[i] = b[i]&^(1<<shift) | byte(bit)<<shift
	}
	return was, changed
}

// CountBits counts the ones from bit from to bit to, inclusive. Both must be within the value.
func (s *String) CountBits(from, to int64) int64 {
	text := s.view()
	first, last := int(from>>3), int(to>>3)
	head, tail := byte(0xff)>>(from&7), byte(0xff)<<(7-to&7)
	if first == last {
		return int64(bits.OnesCount8(text[first] & head & tail))
	}
	n := bits.OnesCount8(text[first]&head) + bits.OnesCount8(text[last]&tail)
	return int64(n) + countOnes(text[first+1:last])
}

func countOnes(text string) int64 {
	n, b := 0, bytesOf(text)
	for ; len(b) >= 32; b = b[32:] {
		n += bits.OnesCount64(word(b)) + bits.OnesCount64(word(b[8:])) + bits.OnesCount64(word(b[16:])) + bits.OnesCount64(word(b[24:]))
	}
	for _, c := range b {
		n += bits.OnesCount8(c)
	}
	return int64(n)
}

// FindBit returns the offset of the first bit equal to bit (0 or 1) from bit from to bit to,
// inclusive, or -1. Both must be within the value.
func (s *String) FindBit(bit int, from, to int64) int64 {
	text := s.view()
	var skip byte // a byte without such a bit
	if bit == 0 {
		skip = 0xff
	}
	first, last := int(from>>3), int(to>>3)
	b := (text[first] ^ skip) & (0xff >> (from & 7)) // bits searched for are 1
	if b == 0 && first < last {
		first += 1 + skipBytes(text[first+1:last], skip)
		b = text[first] ^ skip
	}
	if b == 0 {
		return -1
	}
	if at := int64(first)<<3 + int64(bits.LeadingZeros8(b)); at <= to {
		return at
	}
	return -1
}

// skipBytes returns how many bytes at the beginning of text equal skip.
func skipBytes(text string, skip byte) int {
	b, w := bytesOf(text), uint64(skip)*0x0101010101010101
	for len(b) >= 32 && (word(b)^w)|(word(b[8:])^w)|(word(b[16:])^w)|(word(b[24:])^w) == 0 {
		b = b[32:]
	}
	for len(b) > 0 && b[0] == skip {
		b = b[1:]
	}
	return len(text) - len(b)
}

// Field returns the number in the width bits (1 to 64) from offset on.
func (s *String) Field(offset int64, width uint) uint64 {
	text, i := s.view(), offset>>3
	at := func(i int64) uint64 {
		if i < int64(len(text)) {
			return uint64(text[i])
		}
		return 0
	}
	v := uint64(0)
	for k := range int64(8) {
		v = v<<8 | at(i+k)
	}
	if shift := offset & 7; shift > 0 {
		v = v<<shift | at(i+8)>>(8-shift)
	}
	return v >> (64 - width)
}

// SetField writes the low width bits (1 to 64) of v from offset on. The encoding becomes raw.
func (s *String) SetField(st *Store, offset int64, width uint, v uint64) {
	from, to := int(offset>>3), int((offset+int64(width)+7)>>3)
	b := s.open(st, from, to)
	for at := uint(offset & 7); width > 0; at = 0 {
		n := min(8-at, width) // bits in this byte
		mask := byte(1<<n-1) << (8 - at - n)
		b[from] = b[from]&^mask | byte(v>>(width-n))<<(8-at-n)&mask
		width -= n
		from++
	}
}

// Grow makes s raw and appends zero bytes until it is n bytes long. It reports whether it has
// become longer.
func (s *String) Grow(st *Store, n int) bool {
	old := s.Len()
	if s.enc != encRaw || old < n {
		s.open(st, n, n)
	}
	return old < n
}

// BitOp is an operation of BITOP.
type BitOp uint8

// The operations.
const (
	BitAnd BitOp = iota
	BitOr
	BitXor
	BitNot   // of one value
	BitDiff  // bits of the first value that no other has
	BitDiff1 // bits that another value has, but not the first
	BitAndOr // bits of the first value that another has too
	BitOne   // bits that exactly one value has
)

// NeedsTwo reports whether the operation needs two values at least.
func (op BitOp) NeedsTwo() bool { return op == BitDiff || op == BitDiff1 || op == BitAndOr }

// CombineBits returns a new string with the result, as long as the longest of the values. A nil
// value is an empty string.
func CombineBits(op BitOp, values []*String) *String {
	longest := 0
	for _, v := range values {
		if v != nil {
			longest = max(longest, v.Len())
		}
	}
	text := func(i int) []byte {
		if values[i] == nil {
			return nil
		}
		return bytesOf(values[i].view())
	}
	out := make([]byte, longest)
	switch {
	case op == BitOne:
		oneOf(out, len(values), text)
	case op.NeedsTwo():
		for i := 1; i < len(values); i++ {
			combine(BitOr, out, text(i))
		}
		withFirst(op, out, text(0))
	default:
		copy(out, text(0))
		for i := 1; i < len(values); i++ {
			combine(op, out, text(i))
		}
	}
	if op == BitNot {
		invert(out)
	}
	return &String{text: unsafe.String(unsafe.SliceData(out), longest), num: int64(longest), enc: encRaw}
}

// oneOf sets out, which is zero, to the bits that exactly one of n texts has.
func oneOf(out []byte, n int, text func(i int) []byte) {
	several := make([]byte, len(out)) // bits that more than one has
	for i := range n {
		for j, c := range text(i) {
			several[j] |= out[j] & c
			out[j] |= c
		}
	}
	for j, c := range several {
		out[j] &^= c
	}
}

// withFirst combines out, the bits of all values but the first, with the first.
func withFirst(op BitOp, out, first []byte) {
	for i := range out {
		c := byte(0)
		if i < len(first) {
			c = first[i]
		}
		switch op {
		case BitDiff:
			out[i] = c &^ out[i]
		case BitDiff1:
			out[i] &^= c
		case BitAndOr:
			out[i] &= c
		}
	}
}

// combine sets out to the result of op on out and b. len(b) must not exceed len(out).
func combine(op BitOp, out, b []byte) {
	head := out[:len(b)]
	switch op {
	case BitXor:
		subtle.XORBytes(head, head, b)
	case BitOr:
		for ; len(b) >= 8 && len(head) >= 8; head, b = head[8:], b[8:] {
			binary.LittleEndian.PutUint64(head, word(head)|word(b))
		}
		for i, c := range b {
			head[i] |= c
		}
	case BitAnd:
		clear(out[len(b):])
		for ; len(b) >= 8 && len(head) >= 8; head, b = head[8:], b[8:] {
			binary.LittleEndian.PutUint64(head, word(head)&word(b))
		}
		for i, c := range b {
			head[i] &= c
		}
	}
}

func invert(b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		binary.LittleEndian.PutUint64(b, ^word(b))
	}
	for i := range b {
		b[i] = ^b[i]
	}
}
