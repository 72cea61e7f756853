package ztree

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// A node fills the memory that Go allocates for it, and the scores of a group are in one cache
// line. Go keeps 8 bytes before an object of this size that has pointers.
func TestNodesFillLines(t *testing.T) {
	const header, line = 8, 64
	var leaf leafNode
	var inner innerNode
	require.EqualValues(t, 768, header+unsafe.Sizeof(leaf))
	require.LessOrEqual(t, header+unsafe.Sizeof(inner), uintptr(4096))
	for _, offset := range []uintptr{unsafe.Offsetof(leaf.scores), unsafe.Offsetof(inner.sums), unsafe.Offsetof(inner.scores),
		unsafe.Offsetof(inner.kids), unsafe.Offsetof(inner.counts)} {
		require.Zero(t, (header+offset)%line)
	}
}

// Random changes are compared with a sorted slice.
func TestTreeIsASortedSequence(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	tree := New()
	var want []Item
	order := func(a, b Item) int {
		return cmp.Or(cmp.Compare(a.Score, b.Score), cmp.Compare(a.Member, b.Member))
	}
	for step := range 20_000 {
		switch r.IntN(10) {
		case 0, 1, 2, 3, 4, 5:
			it := Item{float64(r.IntN(50)), strconv.Itoa(step)}
			at, _ := slices.BinarySearchFunc(want, it, order)
			want = slices.Insert(want, at, it)
			tree.Insert(it)
		case 6, 7:
			if len(want) == 0 {
				continue
			}
			at, score := r.IntN(len(want)), float64(r.IntN(50))
			it := want[at]
			want = slices.Delete(want, at, at+1)
			moved := Item{score, it.Member}
			to, _ := slices.BinarySearchFunc(want, moved, order)
			want = slices.Insert(want, to, moved)
			tree.Move(it, score)
		default:
			if len(want) == 0 {
				continue
			}
			at := r.IntN(len(want))
			var p Path
			tree.Seek(at, &p)
			require.Equal(t, want[at], p.Item())
			require.Equal(t, at, tree.Rank(&p))
			n := tree.Cut(&p, 1+r.IntN(3))
			want = slices.Delete(want, at, at+n)
		}
		if step%500 == 0 {
			require.NoError(t, tree.Check())
		}
	}
	require.NoError(t, tree.Check())
	require.Greater(t, tree.Height(), 2)
	var up, down []Item
	Ascend(tree, 0, tree.Len(), func(it Item) bool { up = append(up, it); return true })
	Descend(tree, tree.Len()-1, tree.Len(), func(it Item) bool { down = append(down, it); return true })
	slices.Reverse(down)
	require.Equal(t, want, up)
	require.Equal(t, want, down)
}

// Elements that come in order fill their leaves, which would otherwise be half empty.
func TestAscendingInsertsFillTheLeaves(t *testing.T) {
	tree := New()
	const n = 100_000
	for i := range n {
		tree.Insert(Item{Score: float64(i), Member: strconv.Itoa(i)})
	}
	require.NoError(t, tree.Check())
	const leaf = 768
	require.Less(t, tree.Bytes(), leaf*n/leafFan*11/10)
}
