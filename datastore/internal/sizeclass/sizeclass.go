// Package sizeclass computes the sizes that Go's allocator rounds up to.
package sizeclass

import "math/bits"

// Round returns the size class that the allocator uses for n bytes.
func Round(n int) int {
	switch {
	case n == 0:
		return 0
	case n <= 32:
		return (n + 7) &^ 7
	case n <= 256:
		return (n + 15) &^ 15
	case n <= 32<<10:
		step := 1<<(bits.Len(uint(n))-4) - 1 // an eighth of the power of two below n, minus 1
		return (n + step) &^ step
	}
	return (n + 8191) &^ 8191
}
