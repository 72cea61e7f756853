// Package choices makes random values from a list of numbers, and finds smaller values by making
// the list smaller.
//
// A generator asks a [Source] for numbers below a limit. The numbers that it got are the choices; a
// Source that is made of the same choices gives the same value. 0 is the simplest choice, and fewer
// choices are simpler, so a generator should make its simplest value of zeros. [Shrink] needs to
// know nothing about the values.
package choices

import (
	"math/rand/v2"
	"slices"
)

// Source gives choices: first those of a list, then those of a random source, or zeros.
type Source struct {
	given []uint64
	rand  *rand.Rand // nil: zeros
	made  []uint64
}

// Random returns a source of random choices.
func Random(r *rand.Rand) *Source { return &Source{rand: r} }

// Repeat returns a source of the choices that another has made. Behind them it gives zeros.
func Repeat(made []uint64) *Source { return &Source{given: made} }

// Below returns a number below limit, which must be positive. All are equally likely.
func (s *Source) Below(limit uint64) uint64 {
	return s.next(limit, func(r *rand.Rand) uint64 { return r.Uint64N(limit) })
}

// Extreme is Below, but small numbers and the largest one are more likely.
func (s *Source) Extreme(limit uint64) uint64 {
	return s.next(limit, func(r *rand.Rand) uint64 {
		switch r.Uint64N(8) {
		case 0, 1:
			return r.Uint64N(min(limit, 11))
		case 2:
			return limit - 1
		}
		return r.Uint64N(limit)
	})
}

func (s *Source) next(limit uint64, random func(*rand.Rand) uint64) (n uint64) {
	switch i := len(s.made); {
	case i < len(s.given):
		n = min(s.given[i], limit-1)
	case s.rand != nil:
		n = random(s.rand)
	}
	s.made = append(s.made, n)
	return n
}

// Made returns the choices so far.
func (s *Source) Made() []uint64 { return s.made }

// Shrink looks for simpler choices with which something still fails. fails returns the choices
// that were made when some were given, and whether it fails with them; it is called at most budget
// times. Shrink returns the simplest choices that fail, and how often it has called fails.
func Shrink(start []uint64, budget int, fails func(given []uint64) (made []uint64, ok bool)) (best []uint64, calls int) {
	best = start
	try := func(given []uint64) bool {
		if calls >= budget || !Simpler(given, best) {
			return false
		}
		calls++
		made, ok := fails(given)
		if !ok || !Simpler(made, best) {
			return false
		}
		best = slices.Clone(made)
		return true
	}
	for better := true; better && calls < budget; {
		better = false
		for _, size := range []int{8, 4, 3, 2, 1} {
			for i := len(best) - size; i >= 0; i-- {
				for i+size <= len(best) && try(slices.Concat(best[:i], best[i+size:])) {
					better = true
				}
			}
		}
		for i := 0; i < len(best); i++ {
			with := func(n uint64) []uint64 {
				list := slices.Clone(best)
				list[i] = n
				return list
			}
			if best[i] == 0 {
				continue
			}
			if try(with(0)) {
				better = true
				continue
			}
			low := uint64(0) // with low it does not fail
			for i < len(best) && best[i]-low > 1 && calls < budget {
				middle := low + (best[i]-low)/2
				if try(with(middle)) {
					better = true
				} else {
					low = middle
				}
			}
		}
	}
	return best, calls
}

// Simpler reports whether choices a are simpler than b: fewer, or as many and smaller.
func Simpler(a, b []uint64) bool {
	if len(a) != len(b) {
		return len(a) < len(b)
	}
	return slices.Compare(a, b) < 0
}
