package datastore

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/datastore/internal/intset"
	"github.com/redmoon-lua/redmoon/datastore/internal/listpack"
	"github.com/stretchr/testify/require"
)

func packed(texts ...string) listpack.List {
	l := listpack.New(0)
	for _, s := range texts {
		l.Append(s)
	}
	return l
}

// The texts are those of C's %.17g.
func TestScoresAreWrittenAsRedisKeepsThem(t *testing.T) {
	for _, c := range []struct {
		score float64
		text  string
	}{
		{3, "3"}, {math.Copysign(0, -1), "0"}, {1 << 62, "4611686018427387904"}, {-(1 << 62), "-4611686018427387904"},
		{0.1, "0.10000000000000001"}, {1.5, "1.5"}, {-2.25, "-2.25"}, {1e-5, "1.0000000000000001e-05"},
		{0.0001234, "0.00012339999999999999"},
		{1e300, "1.0000000000000001e+300"}, {-5e-324, "-4.9406564584124654e-324"}, {4.7e18, "4.7e+18"}, {5e18, "5e+18"},
		{123456789.125, "123456789.125"}, {math.Inf(1), "inf"}, {math.Inf(-1), "-inf"},
	} {
		z := New(Options{}).NewZSet([]ZItem{{c.score, "m"}})
		require.Equal(t, packed("m", c.text), z.lp, c.text)
		score, ok := z.Score("m")
		require.True(t, ok)
		require.Equal(t, c.score, score)
	}
}

func TestIntsetKeepsItsWidth(t *testing.T) {
	s := New(Options{})
	set := s.NewSet()
	for _, m := range []string{"3", "-70000", "1"} {
		require.True(t, set.Add(m))
	}
	require.True(t, set.Remove("-70000"))
	want := intset.Set{4, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0}
	require.Equal(t, want, set.ints)
	require.Equal(t, want, set.clone().(*Set).ints)

	mark := s.Begin()
	set.Add("5000000000")
	set.Add("x")
	s.Rollback(mark)
	require.Equal(t, want, set.ints)
}

// Rollback restores the exact bytes, even of entries that Redis would now encode differently.
func TestRollbackRestoresTheBytes(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 9))
		lim := DefaultLimits()
		lim.HashMaxListpackEntries, lim.ZSetMaxListpackEntries = 30, 30
		s := New(Options{Limits: lim, Rand: r})
		h, z := s.NewHash(), s.NewZSet(nil)
		step := func() {
			m := fmt.Sprint("m", r.IntN(25+int(seed)))
			switch r.IntN(5) {
			case 0:
				h.Delete(m)
				z.Remove(m)
			case 1:
				if n := z.Len(); n > 0 {
					from := r.IntN(n)
					z.RemoveRange(from, from+r.IntN(min(3, n-from)))
				}
			case 2:
				h.Prepare([]string{m, "x"})
			default:
				h.Set(m, fmt.Sprint(r.IntN(100000)))
				z.Set(m, float64(r.IntN(40))/4)
			}
		}
		for range 60 {
			step()
		}
		hb, zb := slices.Clone(h.lp), slices.Clone(z.lp)
		mark := s.Begin()
		for range 100 {
			step()
		}
		s.Rollback(mark)
		require.NoError(t, h.check())
		require.NoError(t, z.check())
		require.Equal(t, hb, h.lp)
		require.Equal(t, zb, z.lp)
	}
}

func TestTextsReadFromListpacksStay(t *testing.T) {
	s := New(Options{})
	h := s.NewHash()
	for _, v := range []string{"", "x", "12345678", "value", strings.Repeat("v", 41)} {
		h.Set("field", v)
		for range 2 {
			got, _ := h.Get("field")
			require.Equal(t, v, got)
		}
		got, _ := h.Get("field")
		h.Set("field", "other")
		require.Equal(t, v, got)
	}
	// Every text reads back unchanged, even when other texts have used its slot of the cache.
	for i := range 5000 {
		h.Set("field", fmt.Sprint("v", i))
		got, _ := h.Get("field")
		require.Equal(t, fmt.Sprint("v", i), got)
	}
	h.Set("field", "value")
	require.Zero(t, testing.AllocsPerRun(100, func() { h.Get("field") }))
}
