package datastore

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLazyFreed has the counts of redis-server 7.0: values of more than 64 parts count.
func TestLazyFreed(t *testing.T) {
	s := New(Options{})
	db := s.DB(0)
	fill := func(key string, members int) {
		set, err := db.SetForWrite(key)
		require.NoError(t, err)
		if set == nil {
			set = s.NewSet()
			db.Put(key, set)
		}
		for i := range members {
			set.Add("member " + strconv.Itoa(i))
		}
	}
	freed := func(remove func()) int64 {
		before := s.LazyFreed()
		remove()
		return s.LazyFreed() - before
	}
	for members, counted := range map[int]int64{64: 0, 65: 1} {
		fill("k", members)
		require.Equal(t, counted, freed(func() { db.Remove("k", true) }))
		fill("k", members)
		require.EqualValues(t, 0, freed(func() { db.Remove("k", false) }))
		for _, on := range []bool{false, true} {
			want := int64(0)
			if on {
				want = counted
			}
			*s.Limits() = *DefaultLimits()
			s.Limits().LazyFree = LazyFree{Replace: on}
			fill("k", members)
			require.Equal(t, want, freed(func() { db.Delete("k") }))
			fill("k", members)
			require.Equal(t, want, freed(func() { db.SetString("k", "v", false) }))
			db.Delete("k")
			fill("k", members)
			require.Equal(t, want, freed(func() { db.Put("k", s.NewHash()) }))
			db.Delete("k")
			s.Limits().LazyFree = LazyFree{Expire: on}
			fill("k", members)
			db.SetExpire(db.Peek("k"), 1)
			s.SetNow(2000)
			require.Equal(t, want, freed(func() { require.Equal(t, 1, s.ExpireCycle(10)) }))
			s.Limits().LazyFree = LazyFree{Evict: on}
			fill("k", members)
			require.Equal(t, want, freed(func() { require.True(t, s.Evict(EvictionPolicy{Rank: EvictRandom})) }))
		}
	}
	require.Positive(t, s.LazyFreed())
	s.CountLazyFreed(3)
	s.CountScriptsFreed(64)
	s.ResetExpired()
	require.Zero(t, s.LazyFreed())
	s.CountScriptsFreed(65)
	require.EqualValues(t, 65, s.LazyFreed())
}
