package scan

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestScanLoopEnds(t *testing.T) {
	a := Args{Count: 5}
	steps := 0
	next := Loop(&a, 1, func(cursor uint64) (uint64, int64) { steps++; return cursor + 1, 0 })
	assert.EqualValues(t, 51, next, "empty buckets end a call after ten for each element asked for, and one")
	next = Loop(&a, 1, func(cursor uint64) (uint64, int64) { return cursor + 1, 3 })
	assert.EqualValues(t, 2, next)
	a.Count = math.MaxInt64
	next = Loop(&a, 1, func(cursor uint64) (uint64, int64) { return 0, 1 })
	assert.Zero(t, next)
}
