package datastore

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// smallNodes are limits that give lists many nodes, some of them of one large element.
var smallNodes = []Limits{{ListMaxListpackSize: -1}, {ListMaxListpackSize: 5, ListPackedThreshold: 30}, {ListMaxListpackSize: 1},
	{ListMaxListpackSize: 0}, {ListMaxListpackSize: 100, ListPackedThreshold: 100}, {ListMaxListpackSize: 3, ListPackedThreshold: 2}}

func listOn(limits Limits) *List {
	return New(Options{Limits: &limits}).newList()
}

func listItems(l *List) []string {
	out := make([]string, 0, l.Len())
	l.Ascend(0, func(_ int, s string) bool { out = append(out, s); return true })
	return out
}

// modelRemove is Remove on a slice.
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

// listStep makes one random change to the list and to the model m, and returns the model.
func listStep(t *testing.T, r *rand.Rand, l *List, m []string, push int) []string {
	el := fmt.Sprint(r.IntN(20))
	if r.IntN(10) == 0 {
		el = strings.Repeat(string(rune('a'+r.IntN(3))), r.IntN(120))
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
		if i > 0 && op%2 == 0 {
			l.InsertAfter(i-1, el)
		} else {
			l.Insert(i, el)
		}
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
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 1))
		l := listOn(smallNodes[seed%6])
		var m []string
		for i := range 15000 {
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

// Rollback restores the same nodes with the same bytes.
func TestListRollbackRestoresTheNodes(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		l := listOn(smallNodes[seed%6])
		l.st.newList()
		var m []string
		for range seed * 50 {
			m = listStep(t, r, l, m, 40)
		}
		want, dump := listItems(l), Dump(l, DumpOptions{})
		mark := l.st.Begin()
		m = slices.Clone(want)
		for range 200 {
			m = listStep(t, r, l, m, 30)
		}
		l.st.Rollback(mark)
		require.NoError(t, l.check())
		require.Equal(t, want, listItems(l))
		require.Equal(t, dump, Dump(l, DumpOptions{}))
	}
}

// A restored node may have entries with a longer encoding than AppendText would give them.
func TestListRollbackKeepsTheBytesOfRestoredEntries(t *testing.T) {
	s := New(Options{})
	l := s.newList()
	raw := []byte{0x81, '7', 2, 0xf1, 1, 0, 3, 0x82, '1', '2', 3, 0xe0, 1, 'x', 3, 5, 1}
	l.attachBack(newListNode(raw, 5))
	l.restored = true
	require.NoError(t, l.check())
	require.Equal(t, []string{"7", "1", "12", "x", "5"}, listItems(l))
	before := Dump(l, DumpOptions{})
	for _, change := range []func(){
		func() { l.PopFront() }, func() { l.PopBack(); l.PopBack() }, func() { l.Set(1, "y") }, func() { l.Trim(1, 2) },
		func() { l.Remove(0, "12") }, func() { l.Insert(2, "z") }, func() { l.PushBack("z"); l.PushFront("z") }, func() { l.Trim(1, 0) },
	} {
		mark := s.Begin()
		change()
		s.Rollback(mark)
		require.NoError(t, l.check())
		require.Equal(t, before, Dump(l, DumpOptions{}))
	}
}

func TestListReadsFromAnyPlaceInBothDirections(t *testing.T) {
	l := listOn(Limits{ListMaxListpackSize: 100})
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
	for _, back := range []bool{false, true} {
		var found []int
		l.Compare(1500, back, "1700", func(i int, equal bool) bool {
			if equal {
				found = append(found, i)
			}
			return true
		})
		if back {
			require.Empty(t, found)
		} else {
			require.Equal(t, []int{1700}, found)
		}
	}
}

// A queue moves through its nodes: it reuses the space that it leaves.
func TestListAsAQueueKeepsItsSize(t *testing.T) {
	for _, length := range []int{1, 30, 3000} {
		l := listOn(Limits{ListMaxListpackSize: -2})
		for range length {
			l.PushFront("element")
		}
		for range 200_000 {
			l.PushFront("element")
			l.PopBack()
		}
		require.Equal(t, length, l.Len())
		require.LessOrEqual(t, len(l.nodes.buf), 16)
		room := 0
		for _, c := range l.nodes.items() {
			room += len(c.buf)
		}
		require.LessOrEqual(t, room, 3*9*length+100)
		require.NoError(t, l.check())
	}
}

// Strings that were returned never change.
func TestListStringsSurviveChanges(t *testing.T) {
	l := listOn(Limits{ListMaxListpackSize: -2})
	for range 100 {
		l.PushBack("kept")
	}
	first, popped := l.At(0), l.PopFront()
	for range 99 {
		l.PushFront("gone")
		l.PopBack()
	}
	require.Equal(t, "kept", first)
	require.Equal(t, "kept", popped)
}

// An element has little overhead, however the list was filled.
func TestListOfAMillionStaysDense(t *testing.T) {
	l := listOn(Limits{ListMaxListpackSize: -2})
	const n = 1_000_000
	for i := range n {
		if i%2 == 0 {
			l.PushBack("an element")
		} else {
			l.PushFront("another element")
		}
	}
	require.NoError(t, l.check())
	text := n/2*len("an element") + n/2*len("another element")
	require.LessOrEqual(t, l.bytes(), text+3*n)

	r := rand.New(rand.NewPCG(1, 1))
	for range 20_000 {
		l.Insert(r.IntN(l.Len()+1), "c")
	}
	require.NoError(t, l.check())
	require.Equal(t, n/2, l.Remove(0, "an element"))
	require.NoError(t, l.check())
	for i := l.Len(); i > 2000; i -= 2 {
		l.Trim(1, i-2)
	}
	require.NoError(t, l.check())
	require.LessOrEqual(t, l.nodes.len(), 10)
}

// A queue that stays half as long as its window moves its elements and does not grow.
func TestAWindowThatIsHalfFullStays(t *testing.T) {
	for _, front := range []bool{true, false} {
		w := &window[int]{buf: make([]int, 64), lo: 16, hi: 48}
		for i := range 1000 {
			w.makeRoom(front)
			if front {
				w.lo--
				w.hi--
				w.buf[w.lo] = i
			} else {
				w.buf[w.hi] = i
				w.lo++
				w.hi++
			}
			require.Len(t, w.buf, 64)
			require.Equal(t, 32, w.len())
		}
	}
}
