package datastore

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// zmodel is a simple sorted set that ZSet is compared with.
type zmodel map[string]float64

func (m zmodel) sorted() []ZItem {
	items := []ZItem{}
	for member, score := range m {
		items = append(items, ZItem{score, member})
	}
	slices.SortFunc(items, func(a, b ZItem) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
	return items
}

func zitems(z *ZSet) []ZItem {
	items := []ZItem{}
	if z != nil {
		z.Ascend(0, z.Len(), func(it ZItem) bool { items = append(items, it); return true })
	}
	return items
}

func newZStore(entries int) *Store {
	lim := DefaultLimits()
	lim.ZSetMaxListpackEntries = entries
	return New(Options{Limits: lim, Rand: rand.NewPCG(1, 2)})
}

// mutate makes one random change to z and to m.
func (m zmodel) mutate(z *ZSet, r *rand.Rand, members int) {
	member := fmt.Sprint("m", r.IntN(members))
	switch r.IntN(8) {
	case 0, 1:
		_, ok := z.Remove(member)
		_, had := m[member]
		if ok != had {
			panic("Remove answers wrongly")
		}
		delete(m, member)
	case 2:
		if r.IntN(20) > 0 || z.Len() == 0 {
			return
		}
		from := r.IntN(z.Len())
		to := from + r.IntN(z.Len()-from+1)
		for _, it := range m.sorted()[from:to] {
			delete(m, it.Member)
		}
		z.RemoveRange(from, to)
	default:
		score := float64(r.IntN(members/2)) / 4
		z.Set(member, score)
		m[member] = score
	}
}

func TestZSetAgainstModel(t *testing.T) {
	for _, c := range []struct{ entries, members, steps int }{{128, 100, 4000}, {16, 100, 4000}, {0, 6000, 30000}} {
		r := rand.New(rand.NewPCG(3, uint64(c.entries)))
		s := newZStore(c.entries)
		z, err := s.DB(0).ZSetForWrite("k")
		require.NoError(t, err)
		m := zmodel{}
		for i := range c.steps {
			m.mutate(z, r, c.members)
			if i%(c.steps/40) == 0 {
				compareZ(t, z, m, r)
			}
		}
		compareZ(t, z, m, r)
	}
}

// compareZ compares every view of z with the model.
func compareZ(t *testing.T, z *ZSet, m zmodel, r *rand.Rand) {
	t.Helper()
	require.NoError(t, z.check())
	want := m.sorted()
	require.Equal(t, want, zitems(z))
	require.Equal(t, want, zitems(z.clone().(*ZSet)))
	require.Equal(t, len(want), z.Len())
	n := len(want)
	if n == 0 {
		return
	}
	back := []ZItem{}
	z.Descend(n-1, n, func(it ZItem) bool { back = append(back, it); return true })
	slices.Reverse(back)
	require.Equal(t, want, back)
	for range 20 {
		i := r.IntN(n)
		require.Equal(t, want[i], z.At(i))
		rank, score, ok := z.Rank(want[i].Member)
		require.True(t, ok)
		require.Equal(t, i, rank)
		require.Equal(t, want[i].Score, score)
		compareSpan(t, z, want, ScoreRange{Min: want[i].Score, Max: want[r.IntN(n)].Score, MinEx: r.IntN(2) == 0, MaxEx: r.IntN(2) == 0})
	}
}

func compareSpan(t *testing.T, z *ZSet, want []ZItem, sr ScoreRange) {
	t.Helper()
	from, to := z.ScoreSpan(sr)
	got := []ZItem{}
	z.Ascend(from, to-from, func(it ZItem) bool { got = append(got, it); return true })
	exp := []ZItem{}
	for _, it := range want {
		if !sr.below(it.Score) && !sr.above(it.Score) {
			exp = append(exp, it)
		}
	}
	require.Equal(t, exp, got, "%+v", sr)
}

func TestZSetRollbackRestoresExactly(t *testing.T) {
	for _, entries := range []int{128, 20, 0} {
		r := rand.New(rand.NewPCG(5, uint64(entries)))
		s := newZStore(entries)
		db := s.DB(0)
		for range 60 {
			z, err := db.ZSetForWrite("k")
			require.NoError(t, err)
			m := zmodel{}
			for member, score := range collectZ(z) {
				m[member] = score
			}
			for range r.IntN(40) {
				m.mutate(z, r, 60)
			}
			z.Set("keep", 1)
			before, order, encoding := zitems(z), zscanOrder(z), z.Encoding()
			m = collectZ(z)
			mark := s.Begin()
			z, err = db.ZSet("k")
			require.NoError(t, err)
			for range 100 {
				m.mutate(z, r, 60)
			}
			if r.IntN(2) == 0 {
				z.RemoveRange(0, z.Len())
				db.DropIfEmpty("k")
			}
			s.Rollback(mark)
			require.NoError(t, s.Check())
			z, err = db.ZSet("k")
			require.NoError(t, err)
			require.Equal(t, before, zitems(z))
			require.Equal(t, order, zscanOrder(z))
			require.Equal(t, encoding, z.Encoding())
		}
	}
}

// zscanOrder returns the members in the order in which random choices number them.
func zscanOrder(z *ZSet) (members []string) {
	if z.tree != nil {
		z.dict.All(func(m string, _ float64) bool { members = append(members, m); return true })
	}
	return members
}

func collectZ(z *ZSet) zmodel {
	m := zmodel{}
	for _, it := range zitems(z) {
		m[it.Member] = it.Score
	}
	return m
}

func TestZSetOrdersInsertedAscendingAndDescending(t *testing.T) {
	const n = 20000
	s := newZStore(0)
	up, down := s.NewZSet(nil), s.NewZSet(nil)
	for i := range n {
		up.Set(fmt.Sprint(i), float64(i))
		down.Set(fmt.Sprint(n-i), float64(n-i))
	}
	require.NoError(t, up.check())
	require.NoError(t, down.check())
	require.Equal(t, 123.0, up.At(123).Score)
	require.Equal(t, 124.0, down.At(123).Score)
	for up.Len() > 0 {
		up.RemoveRange(0, min(7, up.Len()))
		down.RemoveRange(max(0, down.Len()-7), down.Len())
	}
	require.NoError(t, up.check())
	require.NoError(t, down.check())
	require.Equal(t, 1, up.tree.Height())
}

func TestZSetBecomesSkiplistPastEitherLimit(t *testing.T) {
	s := New(Options{})
	z := s.NewZSet(nil)
	for i := range 128 {
		z.Set(fmt.Sprint(i), 0)
	}
	require.Equal(t, "listpack", z.Encoding())
	z.Set("more", 0)
	require.Equal(t, "skiplist", z.Encoding())
	for i := range 128 {
		z.Remove(fmt.Sprint(i))
	}
	require.Equal(t, "skiplist", z.Encoding())
	z = s.NewZSet(nil)
	z.Set(string(make([]byte, 64)), 0)
	require.Equal(t, "listpack", z.Encoding())
	z.Set(string(make([]byte, 65)), 0)
	require.Equal(t, "skiplist", z.Encoding())
}

func TestZSetMinusZero(t *testing.T) {
	minus := math.Copysign(0, -1)
	for _, entries := range []int{128, 0} {
		z := newZStore(entries).NewZSet(nil)
		z.Set("a", minus)
		score, _ := z.Score("a")
		require.Equal(t, entries == 0, math.Signbit(score))
		_, changed := z.Set("a", 0)
		require.False(t, changed)
	}
}

func TestZSetLexSpan(t *testing.T) {
	for _, entries := range []int{128, 0} {
		z := newZStore(entries).NewZSet(nil)
		for _, m := range []string{"", "a", "b", "c", "d"} {
			z.Set(m, 0)
		}
		for _, c := range []struct {
			r        LexRange
			from, to int
		}{
			{LexRange{LexBound{Inf: -1}, LexBound{Inf: 1}}, 0, 5},
			{LexRange{LexBound{Inf: 1}, LexBound{Inf: -1}}, 0, 0},
			{LexRange{LexBound{Member: "a"}, LexBound{Member: "c"}}, 1, 4},
			{LexRange{LexBound{Member: "a", Ex: true}, LexBound{Member: "c", Ex: true}}, 2, 3},
			{LexRange{LexBound{Member: "a", Ex: true}, LexBound{Member: "a"}}, 0, 0},
			{LexRange{LexBound{Member: "aa"}, LexBound{Inf: 1}}, 2, 5},
			{LexRange{LexBound{Inf: -1}, LexBound{Member: "", Ex: true}}, 0, 0},
		} {
			for _, reverse := range []bool{false, true} {
				from, to := z.LexSpan(c.r, reverse, 0)
				require.Equal(t, c.to-c.from, to-from, "%+v", c.r)
				if to > from {
					require.Equal(t, c.from, from, "%+v", c.r)
				}
			}
		}
	}
}

func TestZSetScanReturnsEveryMemberThatStays(t *testing.T) {
	s := newZStore(0)
	z := s.NewZSet(nil)
	for i := range 500 {
		z.Set(fmt.Sprint("stay", i), 1)
	}
	seen := map[string]bool{}
	for cursor, i := uint64(0), 0; ; i++ {
		cursor = z.Scan(cursor, func(m string, _ float64) { seen[m] = true })
		if cursor == 0 {
			break
		}
		for j := range 10 {
			if i%100 < 50 {
				z.Set(fmt.Sprint("come", i, j), 1)
			} else {
				z.Remove(fmt.Sprint("come", i-50, j))
			}
		}
		if i > 100000 {
			break
		}
	}
	for i := range 500 {
		require.True(t, seen[fmt.Sprint("stay", i)])
	}
}

func TestExpandIsUndone(t *testing.T) {
	s := newZStore(10)
	z, err := s.DB(0).ZSetForWrite("z")
	require.NoError(t, err)
	z.Set("a", 1)
	z.Set("b", 2)
	m := s.Begin()
	z, err = s.DB(0).ZSet("z")
	require.NoError(t, err)
	z.Expand()
	require.Equal(t, "skiplist", z.Encoding())
	require.Equal(t, []ZItem{{1, "a"}, {2, "b"}}, zitems(z))
	require.NoError(t, s.Check())
	s.Rollback(m)
	require.Equal(t, "listpack", z.Encoding())
	require.Equal(t, []ZItem{{1, "a"}, {2, "b"}}, zitems(z))
	require.NoError(t, s.Check())
}
