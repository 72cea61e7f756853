package intset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Set is an intset. The zero Set is not one; use [New], or bytes that [Validate] has accepted.
type Set []byte

const headerSize = 8

// New returns an empty intset. Its width is the smallest.
func New() Set {
	s := make(Set, headerSize)
	binary.LittleEndian.PutUint32(s, 2)
	return s
}

// Len is the number of integers.
func (s Set) Len() int { return int(binary.LittleEndian.Uint32(s[4:])) }

// Width is the size of an integer in bytes: 2, 4 or 8.
func (s Set) Width() int { return int(s[0]) }

// widthOf is the smallest width that n fits into.
func widthOf(n int64) int {
	switch {
	case n >= math.MinInt16 && n <= math.MaxInt16:
		return 2
	case n >= math.MinInt32 && n <= math.MaxInt32:
		return 4
	}
	return 8
}

// At returns integer i, 0 <= i < Len, of the ascending order.
func (s Set) At(i int) int64 { return at(s, i, s.Width()) }

func at(s []byte, i, width int) int64 {
	b := s[headerSize+i*width:]
	switch width {
	case 2:
		return int64(int16(binary.LittleEndian.Uint16(b)))
	case 4:
		return int64(int32(binary.LittleEndian.Uint32(b)))
	}
	return int64(binary.LittleEndian.Uint64(b))
}

func put(s []byte, i, width int, n int64) {
	b := s[headerSize+i*width:]
	switch width {
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(n))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(n))
	default:
		binary.LittleEndian.PutUint64(b, uint64(n))
	}
}

// Find returns the index of n, or the index where it would be inserted.
func (s Set) Find(n int64) (i int, found bool) {
	width := s.Width()
	lo, hi := 0, s.Len()
	if hi == 0 || n > at(s, hi-1, width) {
		return hi, false
	}
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if at(s, m, width) < n {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo, at(s, lo, width) == n
}

// Insert inserts n, which must not be in the set, at index i, which [Set.Find] returned.
func (s *Set) Insert(i int, n int64) {
	old := *s
	width, count := old.Width(), old.Len()
	if w := widthOf(n); w > width {
		s.widen(w, i, n)
		return
	}
	size, from := len(old)+width, headerSize+i*width
	b := old
	if size <= cap(b) {
		b = b[:size]
	} else {
		b = append(Set(nil), make(Set, size)...)
		copy(b, old[:from])
	}
	copy(b[from+width:], old[from:])
	put(b, i, width, n)
	binary.LittleEndian.PutUint32(b[4:], uint32(count+1))
	*s = b
}

// widen rewrites the set with a larger width, and n at index i.
func (s *Set) widen(width, i int, n int64) {
	old := *s
	count := old.Len()
	b := append(Set(nil), make(Set, headerSize+(count+1)*width)...)
	binary.LittleEndian.PutUint32(b, uint32(width))
	binary.LittleEndian.PutUint32(b[4:], uint32(count+1))
	for j := range count {
		to := j
		if j >= i {
			to++
		}
		put(b, to, width, old.At(j))
	}
	put(b, i, width, n)
	*s = b
}

// Delete removes the integer at index i.
func (s *Set) Delete(i int) {
	b := *s
	width := b.Width()
	at := headerSize + i*width
	copy(b[at:], b[at+width:])
	binary.LittleEndian.PutUint32(b[4:], uint32(b.Len()-1))
	*s = b[:len(b)-width]
}

// Narrow reduces the width to one that the set had before, to undo an Insert. All integers must
// fit.
func (s *Set) Narrow(width int) {
	if width >= s.Width() {
		return
	}
	n := s.Len()
	b := append(Set(nil), make(Set, headerSize+n*width)...)
	binary.LittleEndian.PutUint32(b, uint32(width))
	binary.LittleEndian.PutUint32(b[4:], uint32(n))
	for i := range n {
		put(b, i, width, s.At(i))
	}
	*s = b
}

// Clone returns a copy without spare capacity.
func (s Set) Clone() Set { return append(Set(nil), s...) }

// ErrCorrupt is wrapped by the errors of [Validate].
var ErrCorrupt = errors.New("not an intset")

// Validate checks untrusted bytes: their size and, if deep is set, the order of the integers. As in
// Redis, an empty intset is invalid.
func Validate(b []byte, deep bool) error {
	if len(b) < headerSize {
		return fmt.Errorf("%w: %d bytes", ErrCorrupt, len(b))
	}
	width, n := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
	if width != 2 && width != 4 && width != 8 {
		return fmt.Errorf("%w: width %d", ErrCorrupt, width)
	}
	if n == 0 || uint64(len(b)) != headerSize+uint64(n)*uint64(width) {
		return fmt.Errorf("%w: %d integers in %d bytes", ErrCorrupt, n, len(b))
	}
	if !deep {
		return nil
	}
	s := Set(b)
	for i := 1; i < int(n); i++ {
		if s.At(i-1) >= s.At(i) {
			return fmt.Errorf("%w: %d before %d", ErrCorrupt, s.At(i-1), s.At(i))
		}
	}
	return nil
}
