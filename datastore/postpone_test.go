package datastore

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// expiryTimes returns the expiry time of every key and field.
func expiryTimes(s *Store) map[string]int64 {
	out := map[string]int64{}
	for _, db := range s.dbs {
		db.keys.All(func(p **Entry) bool {
			out[fmt.Sprint(db.id, " ", (*p).key)] = (*p).expireAt
			if h, ok := (*p).obj.(*Hash); ok {
				h.each(func(f, _ string, at int64) bool { out[fmt.Sprint(db.id, " ", (*p).key, " ", f)] = at; return true })
			}
			return true
		})
	}
	return out
}

// Every key and field moves by the same time, and the order in which they expire stays.
func TestPostponeMovesAllExpiryTimes(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 7))
		limits := DefaultLimits()
		limits.HashMaxListpackEntries = []int{512, 8, 0}[seed%3]
		s := New(Options{Limits: limits, Rand: rand.NewPCG(seed, 8)})
		s.SetNow(1_000_000_000)
		moved := 0
		for range 300 {
			timedStep(s, r)
			d := r.Int64N(2000) - 1000
			before := expiryTimes(s)
			s.Postpone(d)
			require.NoError(t, s.Check(), "seed %d", seed)
			for name, at := range before {
				if at != 0 {
					before[name] = at + d
					moved++
				}
			}
			require.Equal(t, before, expiryTimes(s), "seed %d", seed)
			s.Postpone(-d)
		}
		require.Positive(t, moved)
	}
}

func TestPostponeWakesTheCycle(t *testing.T) {
	s := New(Options{})
	s.SetNow(1_000_000)
	db := s.DB(0)
	db.SetExpire(db.Put("a", NewString("1")), 5000)
	db.SetExpire(db.Put("b", NewString("1")), 7000)
	s.Postpone(-4000)
	require.Equal(t, int64(1001), s.NextExpire())
	require.Zero(t, s.ExpireCycle(10), "a still exists in its last millisecond")
	s.Postpone(-1)
	require.Equal(t, 1, s.ExpireCycle(10))
	s.Postpone(math.MaxInt64)
	require.Equal(t, int64(math.MaxInt64), db.Raw("b").ExpireAt())
	s.Postpone(math.MinInt64)
	require.Equal(t, int64(1), db.Raw("b").ExpireAt())
}
