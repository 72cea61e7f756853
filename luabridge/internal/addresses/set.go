// Package addresses has sets of addresses. Addresses that are close together need little memory.
package addresses

import (
	"math/bits"
	"unsafe"
)

// A page has one bit for each granule of one MB of addresses.
const (
	pageShift = 20
	pageSize  = 1 << pageShift
)

// Set is a set of addresses that are multiples of a granule; others are rounded down.
type Set struct {
	shift uint // log2 of the granule
	pages map[uintptr][]uint64
	last  uintptr // number of the page used last, plus 1
	page  []uint64
}

// New returns an empty set with a granule of 1<<shift bytes. A granule is at most 1 MB.
func New(shift uint) *Set { return &Set{shift: shift, pages: map[uintptr][]uint64{}} }

// Add adds an address and reports whether it is new.
func (s *Set) Add(p unsafe.Pointer) bool {
	at := uintptr(p)
	page := s.open(at >> pageShift)
	i := at & (pageSize - 1) >> s.shift
	word, bit := &page[i/64], uint64(1)<<(i%64)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	return true
}

// AddRange adds all granules that contain any of the n bytes from p on, and returns the number of
// new ones.
func (s *Set) AddRange(p unsafe.Pointer, n int) (added int) {
	if n <= 0 {
		return 0
	}
	first, last := uintptr(p)>>s.shift, (uintptr(p)+uintptr(n)-1)>>s.shift
	perPage := uintptr(pageSize) >> s.shift
	for first <= last {
		page := s.open(first / perPage)
		i := first % perPage
		end := min(perPage-1, i+last-first)
		first += end - i + 1
		for i <= end {
			word := &page[i/64]
			mask := ^uint64(0) << (i % 64)
			if end/64 == i/64 {
				mask &= ^uint64(0) >> (63 - end%64)
			}
			added += bits.OnesCount64(mask &^ *word)
			*word |= mask
			i = i/64*64 + 64
		}
	}
	return added
}

func (s *Set) open(number uintptr) []uint64 {
	if s.last == number+1 {
		return s.page
	}
	page := s.pages[number]
	if page == nil {
		page = make([]uint64, max(pageSize>>s.shift/64, 1))
		s.pages[number] = page
	}
	s.last, s.page = number+1, page
	return page
}

// Has reports whether an address is in the set.
func (s *Set) Has(p unsafe.Pointer) bool {
	page := s.pages[uintptr(p)>>pageShift]
	i := uintptr(p) & (pageSize - 1) >> s.shift
	return page != nil && page[i/64]&(1<<(i%64)) != 0
}
