package hashtable

import "unsafe"

const (
	// Large is the number of elements from which a table is worth prefetching: about what fills the
	// cache of a core.
	Large = 1 << 14
	// Batch is the greatest number of keys of one call of [Table.Prefetch].
	Batch = 128
)

// Prefetch finds the positions of keys, -1 for missing ones, making each step for all of them. It
// takes the first element with the hash of a key, which is likely the right one. For its result see
// [DB.prefetch].
func (t *Table[E]) Prefetch(keys []string, found *[Batch]int32) (n int) {
	var hashes [Batch]uint32
	mask, index := uint32(len(t.index)-1), t.index
	for i, k := range keys {
		hashes[i&(Batch-1)] = t.hash(k)
	}
	for _, h := range hashes[:len(keys)] {
		n += int(index[h&mask])
	}
	for i := range keys {
		h := hashes[i&(Batch-1)]
		at := int32(-1)
		for j := h & mask; index[j] != 0; j = (j + 1) & mask {
			if s := index[j]; uint32(s>>32) == h {
				at = int32(uint32(s)) - 1
				break
			}
		}
		found[i&(Batch-1)] = at
	}
	var at [Batch]*E
	for i := range keys {
		if p := found[i&(Batch-1)]; p >= 0 {
			at[i&(Batch-1)] = t.At(int(p))
		}
	}
	for _, e := range at[:len(keys)] {
		if e != nil {
			n += int(*(*byte)(unsafe.Pointer(e)))
		}
	}
	for i, e := range at[:len(keys)] {
		if e != nil {
			keys[i] = t.keyOf(e)
		}
	}
	for i, k := range keys {
		if found[i&(Batch-1)] >= 0 && k != "" {
			n += int(k[0]) + int(k[len(k)-1])
		}
	}
	return n
}
