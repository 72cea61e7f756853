package redpacket

import (
	"errors"
	"fmt"
	"math/rand/v2"
)

// ErrSplit is returned by Split when the total does not give every packet a cent, or is above [MaxAmount].
var ErrSplit = errors.New("redpacket: total must give every packet at least one cent")

// Strategy is a way to divide money.
type Strategy int

// Strategies of [Split].
const (
	// DoubleMean draws each amount evenly from 1 cent to just below twice the mean of what is left.
	DoubleMean Strategy = iota
	// Equal makes all amounts the same, but for the cents that remain: as many packets as there are of them, at random, get one each.
	Equal
)

// String is the strategy's name.
func (s Strategy) String() string {
	switch s {
	case DoubleMean:
		return "double mean"
	case Equal:
		return "equal"
	}
	return fmt.Sprintf("Strategy(%d)", int(s))
}

// Split divides total cents into count amounts of at least 1 cent that sum exactly to total. Whatever the strategy, each of them has the
// expectation total/count, so that it is no advantage to come first or last. r may be nil for a random seed.
func Split(total int64, count int, s Strategy, r *rand.Rand) ([]int64, error) {
	if count < 1 || total < int64(count) || total > MaxAmount {
		return nil, ErrSplit
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
	return nil, fmt.Errorf("redpacket: there is no %v", s)
}

// doubleMean draws from 1 to 2*mean-1, the mean of which is the mean of what is left. Where that bound is no whole number, it is rounded
// up as often as keeps the expectation. It leaves each later packet a cent: with count of at least 3, ceil(2*total/count)-1 is at most
// total-(count-1), as 2*total/count-2 grows more slowly than total-count, and both begin at 0.
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
