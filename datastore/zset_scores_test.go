package datastore

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// The tree has few distinct scores, including the infinite ones and both zeros, so that most
// searches end among equal scores. Every step is compared with a sorted slice.
func TestZSetOfEqualScores(t *testing.T) {
	scores := []float64{math.Inf(-1), -1.5, math.Copysign(0, -1), 0, 1, math.MaxFloat64, math.Inf(1)}
	r := rand.New(rand.NewPCG(7, 8))
	z := New(Options{}).NewZSet(nil)
	z.Expand()
	var want []ZItem
	order := func(a, b ZItem) int {
		return cmp.Or(cmp.Compare(a.Score, b.Score), cmp.Compare(a.Member, b.Member))
	}
	have := map[string]float64{}
	for step := range 30_000 {
		member := strconv.Itoa(r.IntN(6000))
		old, there := have[member]
		if there {
			at, found := slices.BinarySearchFunc(want, ZItem{old, member}, order)
			require.True(t, found)
			rank, score, ok := z.Rank(member)
			require.True(t, ok)
			require.Equal(t, at, rank)
			require.Equal(t, old, score)
			require.Equal(t, want[at], z.At(at))
			want = slices.Delete(want, at, at+1)
		}
		if growing := step/10_000%2 == 0; r.IntN(4) == 0 == growing {
			_, ok := z.Remove(member)
			require.Equal(t, there, ok)
			delete(have, member)
		} else {
			score := scores[r.IntN(len(scores))]
			if z.Set(member, score); there && old == score {
				score = old // 0 and -0 are the same
			}
			have[member] = score
			at, _ := slices.BinarySearchFunc(want, ZItem{score, member}, order)
			want = slices.Insert(want, at, ZItem{score, member})
		}
		if step%1000 == 0 {
			require.NoError(t, z.check())
		}
	}
	require.NoError(t, z.check())
	var got []ZItem
	z.Ascend(0, z.Len(), func(it ZItem) bool { got = append(got, it); return true })
	require.Equal(t, want, got)
}
