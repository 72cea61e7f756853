package parts

import (
	"syscall"
	"unsafe"
)

// discard gives the memory of b back to the system. Nobody may read b afterwards; to the collector
// it is garbage as before.
func discard(b []byte) {
	b = b[:cap(b)]
	page := uintptr(syscall.Getpagesize())
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	skip := int((page - at%page) % page)
	if skip >= len(b) {
		return
	}
	b = b[skip:]
	if b = b[:len(b)&^int(page-1)]; len(b) > 0 {
		_ = syscall.Madvise(b, syscall.MADV_DONTNEED)
	}
}
