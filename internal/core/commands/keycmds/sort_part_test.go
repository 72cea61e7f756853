package keycmds

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/stretchr/testify/require"
)

func TestSortPartSortsThePlacesAskedFor(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 3000 {
		n := 1 + r.IntN(120)
		a := make([]int, n)
		for i := range a {
			a[i] = r.IntN(1 + r.IntN(2*n))
		}
		want := slices.Sorted(slices.Values(a))
		from := r.IntN(n)
		to := from + r.IntN(n-from)
		SortPart(a, cmp.Compare[int], from, to)
		require.Equal(t, want[from:to+1], a[from:to+1])
		slices.Sort(a)
		require.Equal(t, want, a, "no element may get lost")
	}
}

func TestParseWeight(t *testing.T) {
	for text, want := range map[string]float64{"": 0, " 7": 7, "0x10": 16, "1\x00x": 1, "\x00": 0, "-0": 0, "0x1p-1074": 5e-324} {
		f, ok := parseWeight(servers.Redis70, text)
		require.True(t, ok, text)
		require.Equal(t, want, f+0, text)
	}
	for _, text := range []string{" ", "1 ", "x", "nan", "1e400", "1e-400", "1e-310"} {
		_, ok := parseWeight(servers.Redis70, text)
		require.False(t, ok, text)
	}
}

func TestSortLookups(t *testing.T) {
	for pattern, want := range map[string]sortLookup{
		"#": {self: true}, "##": {}, "x": {}, "a\x00*": {},
		"w_*x": {star: true, prefix: "w_", suffix: "x"}, "*": {star: true}, "**": {star: true, suffix: "*"},
		"h_*->f": {star: true, prefix: "h_", hash: true, field: "f"}, "h_*->": {star: true, prefix: "h_", suffix: "->"},
		"h->*->f->g": {star: true, prefix: "h->", hash: true, field: "f->g"}, "*a->b": {star: true, suffix: "a", hash: true, field: "b"},
	} {
		require.Equal(t, want, newSortLookup(pattern), pattern)
	}
}
