package redpacket_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

var strategies = []redpacket.Strategy{redpacket.DoubleMean, redpacket.Equal}

func TestSplitSumsExactly(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range strategies {
		for total := int64(1); total <= 40; total++ { // every small case, often
			for count := 1; count <= int(total); count++ {
				for range 5 {
					checkSplit(t, total, count, s, r)
				}
			}
		}
		for _, c := range []struct {
			total int64
			count int
		}{{1_000_000, 1000}, {redpacket.MaxAmount, 1}, {redpacket.MaxAmount, 3}, {100_001, 100_000}} {
			checkSplit(t, c.total, c.count, s, r)
			checkSplit(t, c.total, c.count, s, nil)
		}
	}
}

// checkSplit checks one split, and that each amount keeps the bounds of its strategy.
func checkSplit(t *testing.T, total int64, count int, s redpacket.Strategy, r *rand.Rand) {
	amounts, err := redpacket.Split(total, count, s, r)
	require.NoError(t, err)
	require.Len(t, amounts, count)
	left := total
	for i, a := range amounts {
		n := int64(count - i)
		if a < 1 || a > left-(n-1) {
			t.Fatalf("%d of %d for %d packets", a, left, n)
		}
		if s == redpacket.DoubleMean && n > 1 && (a-1)*n >= 2*left {
			t.Fatalf("%d of %d for %d packets is twice the mean, or more", a, left, n)
		}
		left -= a
	}
	require.Zero(t, left)
	if s == redpacket.Equal {
		require.LessOrEqual(t, slices.Max(amounts)-slices.Min(amounts), int64(1))
	}
}

func TestSplitRefuses(t *testing.T) {
	for _, s := range strategies {
		for _, c := range [][2]int64{{0, 1}, {4, 5}, {5, 0}, {5, -1}, {-5, 1}, {redpacket.MaxAmount + 1, 1}} {
			_, err := redpacket.Split(c[0], int(c[1]), s, nil)
			require.ErrorIs(t, err, redpacket.ErrSplit)
		}
	}
	_, err := redpacket.Split(10, 2, 7, nil)
	require.EqualError(t, err, "redpacket: unknown strategy Strategy(7)")
}

// TestSplitFavoursNoPosition compares the mean of each position with the mean of all, which it
// misses by more than five standard errors once in two million times. The seed is fixed.
func TestSplitFavoursNoPosition(t *testing.T) {
	const draws = 20_000
	r := rand.New(rand.NewPCG(3, 4))
	for _, s := range strategies {
		for _, c := range []struct {
			total int64
			count int
		}{{14, 10}, {19, 10}, {25, 7}, {1000, 10}, {99_999, 4}, {3, 2}} {
			sum, squares := make([]float64, c.count), make([]float64, c.count)
			for range draws {
				amounts, err := redpacket.Split(c.total, c.count, s, r)
				require.NoError(t, err)
				for i, a := range amounts {
					sum[i] += float64(a)
					squares[i] += float64(a * a)
				}
			}
			want := float64(c.total) / float64(c.count)
			for i := range sum {
				mean := sum[i] / draws
				deviation := math.Sqrt(squares[i]/draws - mean*mean)
				require.InDelta(t, want, mean, 5*deviation/math.Sqrt(draws), "%v of %+v, position %d", s, c, i)
			}
		}
	}
}

// TestDoubleMeanDrawsEvenly checks that the first amount takes all values from 1 to 2*mean-1 about
// as often.
func TestDoubleMeanDrawsEvenly(t *testing.T) {
	const draws = 100_000
	r := rand.New(rand.NewPCG(5, 6))
	seen := map[int64]float64{}
	for range draws {
		amounts, err := redpacket.Split(100, 10, redpacket.DoubleMean, r)
		require.NoError(t, err)
		seen[amounts[0]]++
	}
	require.Len(t, seen, 19)
	p := 1.0 / 19
	for amount := int64(1); amount <= 19; amount++ {
		require.InDelta(t, draws*p, seen[amount], 5*math.Sqrt(draws*p*(1-p)), "%d cents", amount)
	}
}
