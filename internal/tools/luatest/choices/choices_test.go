package choices_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/tools/luatest/choices"
)

// list makes a list of numbers: before each element stands whether there is one.
func list(s *choices.Source) (l []uint64) {
	for len(l) < 20 && s.Below(5) > 0 {
		l = append(l, s.Below(1_000_000))
	}
	return l
}

// shrunk returns the simplest list that was found for a condition, from random ones.
func shrunk(t *testing.T, seed uint64, holds func([]uint64) bool) []uint64 {
	r := rand.New(rand.NewPCG(seed, 0))
	for range 10_000 {
		s := choices.Random(r)
		if !holds(list(s)) {
			continue
		}
		best, calls := choices.Shrink(s.Made(), 1000, func(given []uint64) ([]uint64, bool) {
			s := choices.Repeat(given)
			ok := holds(list(s))
			return s.Made(), ok
		})
		require.LessOrEqual(t, calls, 1000)
		return list(choices.Repeat(best))
	}
	t.Fatal("no list was found")
	return nil
}

func TestShrink(t *testing.T) {
	sum := func(l []uint64) (n uint64) {
		for _, x := range l {
			n += x
		}
		return n
	}
	for seed := range uint64(20) {
		require.Equal(t, []uint64{0, 0, 0}, shrunk(t, seed, func(l []uint64) bool { return len(l) >= 3 }))
		require.Equal(t, []uint64{4711}, shrunk(t, seed, func(l []uint64) bool { return sum(l) >= 4711 }))
		require.Equal(t, []uint64{0, 1}, shrunk(t, seed, func(l []uint64) bool {
			return len(l) > 1 && l[0] < l[len(l)-1]
		}))
	}
}

func TestSource(t *testing.T) {
	s := choices.Repeat([]uint64{3, 9, 2})
	require.Equal(t, []uint64{3, 4, 2, 0}, []uint64{s.Below(5), s.Below(5), s.Below(5), s.Below(5)})
	require.Equal(t, []uint64{3, 4, 2, 0}, s.Made())
}

// Shrink calls at most as often as it may.
func TestShrinkKeepsItsBudget(t *testing.T) {
	n := 0
	best, calls := choices.Shrink([]uint64{1 << 40, 1 << 40, 1 << 40}, 5, func(given []uint64) ([]uint64, bool) {
		n++
		return given, len(given) == 3
	})
	require.Equal(t, 5, n)
	require.Equal(t, 5, calls)
	require.Len(t, best, 3)
}

// When a choice has become 0, fewer choices may do.
func TestShrinkTriesFewerAgainAfterZeros(t *testing.T) {
	best, _ := choices.Shrink([]uint64{7, 5}, 1000, func(given []uint64) ([]uint64, bool) {
		s := choices.Repeat(given)
		n := s.Below(10) // fails with 7 and 5, with 0 and any, or with 0 alone, but not with 7 alone
		switch {
		case n == 7:
			return s.Made(), s.Below(10) == 5
		case n == 0 && len(given) > 1:
			s.Below(10)
			return s.Made(), true
		}
		return s.Made(), n == 0
	})
	require.Equal(t, []uint64{0}, best)
}
