package hyperloglog

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

const hashSeed = 0xadc83b19

// Position returns the register of an element, and its count, 1 to 51.
func Position(element string) (index int, count uint8) {
	h := murmur64A(element, hashSeed)
	rest := h>>indexBits | 1<<(64-indexBits)
	return int(h & (Registers - 1)), uint8(bits.TrailingZeros64(rest)) + 1
}

// murmur64A is A. Appleby's MurmurHash2 for 64 bits, variant A, little endian.
func murmur64A(text string, seed uint64) uint64 {
	const m, r = 0xc6a4a7935bd1e995, 47
	b := unsafe.Slice(unsafe.StringData(text), len(text))
	h := seed ^ uint64(len(b))*m
	for len(b) >= 8 {
		k := binary.LittleEndian.Uint64(b) * m
		k ^= k >> r
		h = (h ^ k*m) * m
		b = b[8:]
	}
	if len(b) > 0 {
		tail := uint64(0)
		for i, c := range b {
			tail |= uint64(c) << (8 * i)
		}
		h = (h ^ tail) * m
	}
	h ^= h >> r
	h *= m
	return h ^ h>>r
}
