package datastore

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hllStep makes one random change; texts that it hands out are added to lent.
func hllStep(t *testing.T, st *Store, s *String, r *rand.Rand, lent *[]string) {
	t.Helper()
	switch r.IntN(8) {
	case 0, 1, 2, 3:
		n, err := s.HLLAdd(st, []string{fmt.Sprint(r.IntN(5000)), fmt.Sprint(r.IntN(5000))})
		require.NoError(t, err)
		if n > 0 {
			s.HLLSetStale(st)
		}
	case 4:
		_, _, err := s.HLLCount(st)
		require.NoError(t, err)
	case 5:
		if r.IntN(40) == 0 {
			require.NoError(t, s.HLLDense(st))
		}
	case 6:
		other := s.clone().(*String)
		_, err := other.HLLAdd(st, []string{fmt.Sprint(r.IntN(5000))})
		require.NoError(t, err)
		u := &HLLUnion{}
		require.NoError(t, u.Add(other))
		s.HLLMerge(st, u)
	case 7:
		if r.IntN(4) == 0 {
			*lent = append(*lent, s.Text())
		}
	}
	require.NoError(t, s.check())
	require.Equal(t, "raw", s.Encoding())
}

func TestHLLRollback(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 10))
		st := New(Options{})
		st.Limits().HLLSparseMaxBytes = 100 + r.IntN(400)
		s := NewHLL()
		var lent, plain []string
		keep := func() {
			for _, text := range lent[len(plain):] {
				plain = append(plain, strings.Clone(text))
			}
		}
		for range 4 {
			for range r.IntN(60) {
				hllStep(t, st, s, r, &lent)
				keep()
			}
			before := strings.Clone(s.view())
			mark := st.Begin()
			for range r.IntN(60) {
				hllStep(t, st, s, r, &lent)
				keep()
			}
			st.Rollback(mark)
			require.NoError(t, s.check())
			require.Equal(t, before, s.view())
			require.Equal(t, plain, lent, "a text that was handed out has changed")
		}
	}
}

func TestHLLFormsAgree(t *testing.T) {
	st := New(Options{})
	sparse, dense := NewHLL(), NewHLL()
	require.NoError(t, dense.HLLDense(st))
	for i := range 2000 {
		e := []string{fmt.Sprint("element ", i)}
		a, err := sparse.HLLAdd(st, e)
		require.NoError(t, err)
		b, err := dense.HLLAdd(st, e)
		require.NoError(t, err)
		require.Equal(t, a, b)
		if a > 0 {
			sparse.HLLSetStale(st)
			dense.HLLSetStale(st)
		}
		x, changed, err := sparse.HLLCount(st)
		require.NoError(t, err)
		require.Equal(t, a > 0 || i == 0, changed)
		y, _, err := dense.HLLCount(st)
		require.NoError(t, err)
		require.Equal(t, x, y)
	}
	require.False(t, sparse.HLLSparse())
	require.Equal(t, dense.Text(), sparse.Text())
}

func TestHLLAddOfDenseDoesNotAllocate(t *testing.T) {
	st, s := New(Options{}), NewHLL()
	require.NoError(t, s.HLLDense(st))
	elements, i := make([]string, 2000), 0
	for k := range elements {
		elements[k] = fmt.Sprint(k)
	}
	assert.Zero(t, testing.AllocsPerRun(len(elements)-2, func() {
		_, _ = s.HLLAdd(st, elements[i:i+1])
		s.HLLSetStale(st)
		_, _, _ = s.HLLCount(st)
		i++
	}))
}
