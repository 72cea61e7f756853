package cjson

import (
	"unsafe"
)

// arena gives short strings memory by the chunk.
//
// Invariant: a byte of a chunk is written once, before the string that holds it is handed out.
type arena struct {
	free []byte // the rest of the chunk
}

// chunk is the size of a chunk. A string keeps no more than that alive beside itself.
const chunk = 512

// text returns b as a string that does not change with b.
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
