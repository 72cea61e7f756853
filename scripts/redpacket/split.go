package redpacket

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/redmoon-lua/redmoon/scripts/internal/script"
)

// ErrSplit is returned by Split if count is below 1, or if total is below count cents or above
// [MaxAmount].
var ErrSplit = errors.New("redpacket: total must give every packet at least 1 cent and be at most MaxAmount")

// Strategy is a way to divide money.
type Strategy int

// Strategies of [Split].
const (
	// DoubleMean draws each amount evenly from 1 cent to just below twice the mean of what is left.
	DoubleMean Strategy = iota
	// Equal makes all amounts the same. If total is not a multiple of count, the remaining cents go
	// one each to packets drawn at random.
	Equal
)

var strategies = script.Names{"double mean", "equal"}

// String is the name of the strategy.
func (s Strategy) String() string { return strategies.Of("Strategy", int(s)) }

// MarshalText returns the text of String, also in JSON.
func (s Strategy) MarshalText() ([]byte, error) { return strategies.Text("redpacket.Strategy", int(s)) }

// UnmarshalText reads what MarshalText returns, and refuses any other text.
func (s *Strategy) UnmarshalText(text []byte) error {
	return strategies.Read("redpacket.Strategy", (*int)(s), text)
}

// Split divides total cents into count amounts of at least 1 cent whose sum is exactly total. With
// every strategy each amount has the expectation total/count, so being first or last is not an
// advantage. r is the source of randomness; nil means a random seed. Split returns [ErrSplit], and
// another error for a strategy that does not exist.
func Split(total int64, count int, s Strategy, r *rand.Rand) ([]int64, error) {
	if count < 1 || total < int64(count) || total > MaxAmount {
		return nil, fmt.Errorf("%w: %d cents for %d packets", ErrSplit, total, count)
	}
	if r == nil {
		r = rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	}
	switch s {
	case DoubleMean:
		return doubleMean(total, count, r), nil
	case Equal:
		return equal(total, count, r), nil
	}
	return nil, fmt.Errorf("redpacket: unknown strategy %v", s)
}

// doubleMean draws each amount from 1 to 2*mean-1, where mean is total/count of what is left. If
// that bound is not an integer, it is rounded up with the probability that keeps the expectation.
//
// A cent is left for each later packet: for a count of at least 3, ceil(2*total/count)-1 is at most
// total-(count-1), because 2*total/count-2 grows more slowly than total-count and both begin at 0.
func doubleMean(total int64, count int, r *rand.Rand) []int64 {
	amounts := make([]int64, count)
	for i := range amounts {
		left := int64(count - i)
		if left == 1 {
			amounts[i] = total
			break
		}
		most := 2*total/left - 1
		if r.Int64N(left) < 2*total%left {
			most++
		}
		amounts[i] = 1 + r.Int64N(most)
		total -= amounts[i]
	}
	return amounts
}

func equal(total int64, count int, r *rand.Rand) []int64 {
	amounts := make([]int64, count)
	share, rest := total/int64(count), total%int64(count)
	for i := range amounts {
		amounts[i] = share
		if r.Int64N(int64(count-i)) < rest {
			amounts[i]++
			rest--
		}
	}
	return amounts
}
