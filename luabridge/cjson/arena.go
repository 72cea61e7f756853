package cjson

import (
	"unsafe"
)

// arena allocates short strings in chunks.
//
// Invariant: a byte of a chunk is written once, before the string with it is returned.
type arena struct {
	free []byte // the rest of the chunk
}

// chunk is the size of a chunk in bytes. A string keeps at most its chunk alive.
const chunk = 512

// text returns b as a string that does not change when b does.
func (a *arena) text(b []byte) string {
	if len(b) > chunk/4 {
		return string(b)
	}
	if len(b) == 0 {
		return ""
	}
	if len(b) > len(a.free) {
		a.free = make([]byte, chunk)
	}
	n := copy(a.free, b)
	s := unsafe.String(&a.free[0], n)
	a.free = a.free[n:]
	return s
}
