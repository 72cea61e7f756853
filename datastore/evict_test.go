package datastore

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// evictStore returns a store with 100 keys in two databases: key i was used i seconds ago, has the
// frequency i and, if i is even, expires in i hours.
func evictStore(lfu bool) *Store {
	limits := DefaultLimits()
	limits.LFU, limits.LFUDecayTime = lfu, 0
	s := New(Options{Databases: 4, Rand: rand.NewPCG(3, 4), Limits: limits})
	s.SetNow(1_000_000_000_000)
	for i := range 100 {
		db := s.DB(1 + i%2*2)
		e := db.SetString(fmt.Sprint(i), "v", false)
		e.SetIdle(int64(i), s.Now())
		e.SetFreq(uint8(i))
		if i%2 == 0 {
			db.SetExpire(e, s.Now()+int64(i+1)*3_600_000)
		}
	}
	return s
}

// evictOrder evicts n keys and returns their numbers.
func evictOrder(t *testing.T, s *Store, p EvictionPolicy, n int) (order []int) {
	t.Helper()
	s.Listen(func(ch *Change) {
		require.Equal(t, "evicted", ch.Event)
		require.Equal(t, ClassEvicted, ch.Class)
		i := 0
		_, err := fmt.Sscan(ch.Key, &i)
		require.NoError(t, err)
		order = append(order, i)
	})
	for range n {
		require.True(t, s.Evict(p))
		require.NoError(t, s.Check())
	}
	require.Equal(t, int64(n), s.Evicted())
	return order
}

func TestTheKeyThatExpiresFirstIsEvictedFirst(t *testing.T) {
	s := evictStore(false)
	p := EvictionPolicy{Rank: EvictSoon, Volatile: true}
	for i, got := range evictOrder(t, s, p, 50) {
		require.Equal(t, 2*i, got)
	}
	require.False(t, s.Evict(p), "no key with an expiry time is left")
}

func TestTheLeastUsedKeysAreEvicted(t *testing.T) {
	for _, volatile := range []bool{false, true} {
		for _, rank := range []EvictionRank{EvictIdle, EvictRare} {
			p := EvictionPolicy{Rank: rank, Volatile: volatile, Samples: 10}
			n, sum := 20, 0
			for _, i := range evictOrder(t, evictStore(rank == EvictRare), p, n) {
				if rank == EvictIdle {
					i = 99 - i
				}
				require.Less(t, i, 80)
				require.False(t, volatile && rank == EvictRare && i%2 == 1)
				sum += i
			}
			best := 10 // mean of the best 20
			if volatile {
				best = 20
			}
			require.Less(t, sum/n, best+8, "rank %d, volatile %v", rank, volatile)
		}
	}
}

func TestEveryKeyIsEvictedInTheEnd(t *testing.T) {
	for _, rank := range []EvictionRank{EvictIdle, EvictRare, EvictRandom} {
		s := evictStore(rank == EvictRare)
		p := EvictionPolicy{Rank: rank, Samples: 5}
		evictOrder(t, s, p, 100)
		require.False(t, s.Evict(p))
		require.Zero(t, s.Used())
	}
	s := evictStore(false)
	p := EvictionPolicy{Rank: EvictRandom, Volatile: true}
	for _, i := range evictOrder(t, s, p, 50) {
		require.Zero(t, i%2)
	}
	require.False(t, s.Evict(p))
}

// A key that has been used since it was sampled is not evicted before others.
func TestAKeyUsedAgainStays(t *testing.T) {
	s := New(Options{Rand: rand.NewPCG(3, 4)})
	s.SetNow(1_000_000_000_000)
	db := s.DB(0)
	for i := range 10 {
		e := db.SetString(fmt.Sprint(i), "v", false)
		e.SetIdle(int64(100-i), s.Now())
	}
	p := EvictionPolicy{Rank: EvictIdle, Samples: 64}
	require.True(t, s.Evict(p))
	require.NotNil(t, db.Lookup("1"))
	for range 8 {
		require.True(t, s.Evict(p))
	}
	require.NotNil(t, db.Peek("1"))
}
