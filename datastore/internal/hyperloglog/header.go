package hyperloglog

import (
	"encoding/binary"
	"errors"
)

// ErrCorrupted is returned if the opcodes of a sparse form do not describe exactly all registers.
var ErrCorrupted = errors.New("hyperloglog: corrupted")

// Registers is the number of registers.
const Registers = 1 << indexBits

const (
	indexBits  = 14
	maxCount   = 64 - indexBits + 1 // greatest count of an element
	HeaderSize = 16                 // bytes; the last one has the bit of SetStale
	denseSize  = HeaderSize + Registers*registerBits/8

	magic      = "HYLL"
	encodingAt = 4 // denseForm or sparseForm
	cacheAt    = 8 // the estimate, 8 bytes, little endian; its highest bit marks it as stale
	staleAt    = cacheAt + 7
	stale      = 0x80

	denseForm  = 0
	sparseForm = 1
)

// New returns the sparse form of an empty set.
func New() []byte {
	b := make([]byte, HeaderSize, HeaderSize+8)
	copy(b, magic)
	b[encodingAt] = sparseForm
	return appendZeros(b, Registers)
}

// Valid reports whether text has the header of one of the two forms and a length that is possible
// for it.
func Valid(text string) bool {
	return len(text) >= HeaderSize && text[:len(magic)] == magic && text[encodingAt] <= sparseForm &&
		(text[encodingAt] != denseForm || len(text) == denseSize)
}

// IsSparse reports whether a valid text is in the sparse form.
func IsSparse(text string) bool { return text[encodingAt] == sparseForm }

// Cached returns the estimate in the header; ok is false if it is stale.
func Cached(text string) (n uint64, ok bool) {
	if text[staleAt]&stale != 0 {
		return 0, false
	}
	return binary.LittleEndian.Uint64([]byte(text[cacheAt:HeaderSize])), true
}

// SetCached writes an estimate into the header.
func SetCached(b []byte, n uint64) { binary.LittleEndian.PutUint64(b[cacheAt:], n) }

// SetStale marks the estimate in the header as stale.
func SetStale(b []byte) { b[staleAt] |= stale }

// IsStale reports whether the estimate in the header is stale.
func IsStale(text string) bool { return text[staleAt]&stale != 0 }
