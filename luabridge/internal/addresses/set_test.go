package addresses

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// TestSetAgainstAMap adds random addresses and ranges, on both sides of the ends of pages.
func TestSetAgainstAMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	memory := make([]byte, 5*pageSize)
	base := unsafe.Pointer(&memory[0])
	for _, shift := range []uint{4, 9, 13} {
		s, model := New(shift), map[uintptr]bool{}
		for range 3000 {
			p := unsafe.Add(base, rng.IntN(len(memory)))
			if rng.IntN(4) > 0 {
				require.Equal(t, model[uintptr(p)>>shift], s.Has(p))
				require.Equal(t, !model[uintptr(p)>>shift], s.Add(p))
				model[uintptr(p)>>shift] = true
				continue
			}
			n, want := rng.IntN(1<<rng.IntN(22)), 0
			if n > 0 {
				for g := uintptr(p) >> shift; g <= (uintptr(p)+uintptr(n)-1)>>shift; g++ {
					if !model[g] {
						model[g] = true
						want++
					}
				}
			}
			require.Equal(t, want, s.AddRange(p, n))
		}
	}
}
