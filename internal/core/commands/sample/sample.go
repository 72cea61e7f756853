package sample

import (
	"slices"

	"github.com/redmoon-lua/redmoon/internal/core/server"
)

// Indexes calls f for random numbers from 0 to n-1, n > 0. With a positive count these are that
// many different numbers (at most n), in ascending order if sorted is set. With a negative count
// they are -count independent numbers.
func Indexes(c *server.Ctx, n int, sorted bool, count int64, f func(i int)) {
	rng := c.Server.Store.Rand()
	switch {
	case count < 0:
		for range -count {
			f(rng.IntN(n))
		}
	case count >= int64(n):
		for i := range n {
			f(i)
		}
	default:
		places := Ranks(n, int(count), rng.IntN)
		if sorted {
			slices.Sort(places)
		}
		for _, i := range places {
			f(i)
		}
	}
}

// Ranks picks size of the numbers 0 to n-1 (Floyd's method) and shuffles them, so that each
// sequence is equally likely.
func Ranks(n, size int, intN func(int) int) []int {
	picked := make(map[int]struct{}, size)
	out := make([]int, 0, size)
	for i := n - size; i < n; i++ {
		k := intN(i + 1)
		if _, dup := picked[k]; dup {
			k = i
		}
		picked[k] = struct{}{}
		out = append(out, k)
		j := intN(len(out))
		out[len(out)-1], out[j] = out[j], k
	}
	return out
}
