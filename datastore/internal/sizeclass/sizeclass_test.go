package sizeclass

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The sizes of runtime/sizeclasses.go that are multiples of an eighth of the power of two below.
func TestRound(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 8, 8: 8, 9: 16, 32: 32, 33: 48, 240: 240, 241: 256, 256: 256, 257: 288, 288: 288, 289: 320,
		512: 512, 513: 576, 1024: 1024, 1025: 1152, 1153: 1280, 2049: 2304, 4096: 4096, 4097: 4608, 32 << 10: 32 << 10, 32<<10 + 1: 40 << 10,
		1 << 20: 1 << 20, 1<<20 + 1: 1<<20 + 8192} {
		require.Equal(t, want, Round(n), n)
	}
}
