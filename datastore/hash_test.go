package datastore

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

type pairs [][2]string

func hashPairs(h *Hash) pairs {
	out := pairs{}
	h.All(func(f, v string) bool { out = append(out, [2]string{f, v}); return true })
	return out
}

func hashStep(t *testing.T, r *rand.Rand, h *Hash, m map[string]string, fields int) {
	f := fmt.Sprint("f", r.IntN(fields))
	if r.IntN(3) == 0 {
		_, want := m[f]
		require.Equal(t, want, h.Delete(f))
		delete(m, f)
		return
	}
	v := fmt.Sprint(r.IntN(1000))
	if r.IntN(2000) == 0 {
		v = strings.Repeat("v", 65)
	}
	_, had := m[f]
	require.Equal(t, !had, h.Set(f, v))
	m[f] = v
}

func TestHashAgreesWithAMap(t *testing.T) {
	for _, fields := range []int{100, 700, 5000} {
		r := rand.New(rand.NewPCG(uint64(fields), 1))
		h, m := New(Options{}).NewHash(), map[string]string{}
		for i := range 20000 {
			hashStep(t, r, h, m, fields)
			if i%500 != 0 {
				continue
			}
			require.NoError(t, h.check())
			require.Equal(t, len(m), h.Len())
			for f, v := range m {
				got, ok := h.Get(f)
				require.True(t, ok && h.Has(f))
				require.Equal(t, v, got)
			}
			require.False(t, h.Has("none"))
		}
	}
}

func TestHashKeepsInsertionOrderWhileCompact(t *testing.T) {
	h := New(Options{}).NewHash()
	for _, f := range []string{"c", "a", "b"} {
		h.Set(f, "1")
	}
	h.Set("a", "2")
	h.Delete("c")
	h.Set("c", "3")
	require.Equal(t, pairs{{"a", "2"}, {"b", "1"}, {"c", "3"}}, hashPairs(h))
}

func TestHashRollbackRestoresOrderAndForm(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		s := New(Options{})
		h, m := s.NewHash(), map[string]string{}
		for range int(seed) * 40 {
			hashStep(t, r, h, m, 900)
		}
		want, enc := hashPairs(h), h.Encoding()
		mark := s.Begin()
		for range 1500 {
			hashStep(t, r, h, m, 900)
		}
		s.Rollback(mark)
		require.NoError(t, h.check())
		require.Equal(t, want, hashPairs(h))
		require.Equal(t, enc, h.Encoding())
	}
}

func TestHashLeavesTheCompactFormAtItsLimits(t *testing.T) {
	h := New(Options{}).NewHash()
	for i := range 512 {
		h.Set(fmt.Sprint(i), "v")
	}
	require.Equal(t, "listpack", h.Encoding())
	h.Set("one more", "v")
	require.Equal(t, "hashtable", h.Encoding())
	for i := range 512 {
		h.Delete(fmt.Sprint(i))
	}
	require.Equal(t, "hashtable", h.Encoding(), "it never turns back")

	for _, long := range [][2]string{{strings.Repeat("f", 65), "v"}, {"f", strings.Repeat("v", 65)}} {
		h := New(Options{}).NewHash()
		h.Set(long[0][1:], long[1])
		h.Set(long[0], long[1][1:])
		h.Set(long[0], long[1])
		require.Equal(t, "hashtable", h.Encoding())
	}
}

// A field of a large hash is searched in the run of used slots that contains its home slot: the
// longest run bounds the cost of an operation, and it does not grow with the hash.
func TestHashOfAMillionHasShortRuns(t *testing.T) {
	h := New(Options{}).NewHash()
	for i := range 1_000_000 {
		h.Set(fmt.Sprint("field:", i), "v")
	}
	for i := range 500_000 {
		h.Delete(fmt.Sprint("field:", 2*i))
	}
	run, longest, sum, runs := 0, 0, 0, 0
	for _, slot := range h.dict.Index() {
		if slot != 0 {
			run++
			continue
		}
		if run > 0 {
			longest, sum, runs = max(longest, run), sum+run, runs+1
		}
		run = 0
	}
	require.Less(t, sum/runs, 8, "mean run")
	require.Less(t, longest, 1000)
}
