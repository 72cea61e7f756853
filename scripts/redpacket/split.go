package redpacket

import (
	"errors"
	"math/rand/v2"
)

// ErrSplit is returned by Split when the total does not give every packet a cent.
var ErrSplit = errors.New("redpacket: total must give every packet at least one cent")

// Split divides total cents into count random amounts of at least 1 cent that sum exactly to total.
// Each amount is drawn uniformly from 1 to twice the mean of what is left, so every
// packet has the same expectation. r may be nil for a random seed.
func Split(total int64, count int, r *rand.Rand) ([]int64, error) {
	if count < 1 || total < int64(count) || total > MaxAmount {
		return nil, ErrSplit
	}
	if r == nil {
		r = rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	}
	amounts := make([]int64, count)
	for i := range amounts {
		left := int64(count - i)
		if left == 1 {
			amounts[i] = total
			break
		}
		// At most 2*mean-1, so the mean of the draw is the mean; never so much that a later one gets nothing.
		most := min(max(2*total/left-1, 1), total-(left-1))
		amounts[i] = 1 + r.Int64N(most)
		total -= amounts[i]
	}
	return amounts, nil
}
