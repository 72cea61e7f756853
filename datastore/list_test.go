package datastore

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func listItems(l *List) []string {
	out := make([]string, 0, l.Len())
	l.Ascend(0, func(_ int, s string) bool { out = append(out, s); return true })
	return out
}

// modelRemove is what Remove does, on a slice.
func modelRemove(m []string, count int, el string) ([]string, int) {
	limit := count
	if limit < 0 {
		limit = -limit
		slices.Reverse(m)
	}
	n := 0
	m = slices.DeleteFunc(m, func(s string) bool {
		if s != el || limit > 0 && n == limit {
			return false
		}
		n++
		return true
	})
	if count < 0 {
		slices.Reverse(m)
	}
	return m, n
}

// listStep does one random thing to both and returns the model.
func listStep(t *testing.T, r *rand.Rand, l *List, m []string, push int) []string {
	el := fmt.Sprint(r.IntN(20))
	if r.IntN(40) == 0 {
		el = strings.Repeat(el, 2000) // too long to be packed
	}
	switch op := r.IntN(100); {
	case op < push:
		l.PushFront(el)
		return slices.Insert(m, 0, el)
	case op < 2*push:
		l.PushBack(el)
		return append(m, el)
	case op < 88 && len(m) > 0:
		if op%2 == 0 {
			require.Equal(t, m[0], l.PopFront())
			return m[1:]
		}
		require.Equal(t, m[len(m)-1], l.PopBack())
		return m[:len(m)-1]
	case op < 93 && len(m) > 0:
		i := r.IntN(len(m) + 1)
		l.Insert(i, el)
		return slices.Insert(m, i, el)
	case op < 95 && len(m) > 0:
		i := r.IntN(len(m))
		require.Equal(t, m[i], l.At(i))
		l.Set(i, el)
		m[i] = el
	case op < 98:
		count := r.IntN(7) - 3
		m, n := modelRemove(m, count, el)
		require.Equal(t, n, l.Remove(count, el))
		return m
	case op == 98 && len(m) > 0:
		a, b := r.IntN(1+min(len(m)/4, 3)), len(m)-1-r.IntN(1+min(len(m)/4, 3))
		l.Trim(a, b)
		if a > b {
			return nil
		}
		return m[a : b+1]
	case op == 99 && len(m) > 0 && r.IntN(10) == 0:
		a, b := r.IntN(len(m)), r.IntN(len(m))
		l.Trim(a, b)
		if a > b {
			return nil
		}
		return slices.Clone(m[a : b+1])
	}
	return m
}

func TestListAgreesWithASlice(t *testing.T) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 1))
		l := &List{st: New(Options{})}
		var m []string
		for i := range 20000 {
			push := 42
			if i/2500%2 == 1 {
				push = 36
			}
			m = listStep(t, r, l, m, push)
			if i%50 == 0 {
				require.NoError(t, l.check())
				require.Equal(t, len(m), l.Len())
				if !slices.Equal(m, listItems(l)) {
					t.Fatalf("seed %d, step %d: the list differs", seed, i)
				}
			}
		}
	}
}

func TestListRollbackRestoresTheElements(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 2))
		s := New(Options{})
		l := &List{st: s}
		for i := range int(seed) * 150 {
			l.PushBack(fmt.Sprint(i % 20))
		}
		want := listItems(l)
		mark := s.Begin()
		m := slices.Clone(want)
		for range 400 {
			m = listStep(t, r, l, m, 30)
		}
		s.Rollback(mark)
		require.NoError(t, l.check())
		require.Equal(t, want, listItems(l))
	}
}

func TestListReadsFromAnyPlaceInBothDirections(t *testing.T) {
	l := &List{st: New(Options{})}
	for i := range 3000 {
		l.PushBack(fmt.Sprint(i))
	}
	for i := range 3000 {
		require.Equal(t, fmt.Sprint(i), l.At(i))
	}
	next := 1234
	l.Ascend(1234, func(i int, s string) bool {
		require.Equal(t, next, i)
		require.Equal(t, fmt.Sprint(i), s)
		next++
		return i < 2500
	})
	require.Equal(t, 2501, next)
	next = 2000
	l.Descend(2000, func(i int, s string) bool {
		require.Equal(t, next, i)
		require.Equal(t, fmt.Sprint(i), s)
		next--
		return true
	})
	require.Equal(t, -1, next)
}

// A queue moves through its chunks: the room it leaves behind is used again.
func TestListAsAQueueKeepsItsSize(t *testing.T) {
	l := &List{st: New(Options{})}
	for range 300 {
		l.PushFront("x")
	}
	for range 200_000 {
		l.PushFront("x")
		l.PopBack()
	}
	require.Equal(t, 300, l.Len())
	require.LessOrEqual(t, len(l.chunks.buf), 16)
	for _, c := range l.chunks.items() {
		require.LessOrEqual(t, len(c.buf), listChunk)
	}
}

// What an operation costs is the number of chunks and the size of one; here neither grows beyond
// what a million elements need.
func TestListOfAMillionStaysDense(t *testing.T) {
	l := &List{st: New(Options{})}
	const n = 1_000_000
	for i := range n {
		if i%2 == 0 {
			l.PushBack("a")
		} else {
			l.PushFront("b")
		}
	}
	require.NoError(t, l.check())
	require.LessOrEqual(t, l.chunks.len(), n/listChunk+3)

	r := rand.New(rand.NewPCG(1, 1))
	for range 20_000 {
		l.Insert(r.IntN(l.Len()+1), "c")
	}
	require.NoError(t, l.check())
	require.LessOrEqual(t, l.chunks.len(), 2*l.Len()/listChunk+3)

	require.Equal(t, n/2, l.Remove(0, "a"))
	require.NoError(t, l.check())
	for i := l.Len(); i > 2000; i -= 2 {
		l.Trim(1, i-2)
	}
	require.NoError(t, l.check())
	for i := l.Len(); i > 20; i-- {
		l.removeAt(r.IntN(i))
	}
	require.NoError(t, l.check())
	require.LessOrEqual(t, l.chunks.len(), 1, "small neighbours become one")
}

func TestListPacksTheChunksInTheMiddle(t *testing.T) {
	l := &List{st: New(Options{})}
	packed := func() (n int) {
		for _, c := range l.chunks.items() {
			if c.lp != nil {
				n++
			}
		}
		return n
	}
	for i := range 10 * listChunk {
		l.PushBack(fmt.Sprint(i))
	}
	require.Equal(t, 8, packed())
	l.Set(5*listChunk, strings.Repeat("x", 3*packedBytes))
	require.Equal(t, 7, packed(), "what is long is not packed")
	l.Set(5*listChunk, "y")
	l.Insert(4*listChunk, "z")
	require.Equal(t, 1, l.Remove(0, "z"))
	require.Equal(t, "y", l.At(5*listChunk))
	require.Equal(t, "77", l.At(77))
	require.GreaterOrEqual(t, packed(), 7)
	for i := range 9 * listChunk {
		if i != 5*listChunk {
			require.Equal(t, fmt.Sprint(i), l.PopFront())
		} else {
			l.PopFront()
		}
	}
	require.NoError(t, l.check())
	require.Equal(t, listChunk, l.Len())
}
