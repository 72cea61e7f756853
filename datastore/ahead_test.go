package datastore

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// largeStore returns a store with a large value of each type that is prefetched, and many keys.
func largeStore(t *testing.T) *Store {
	s := New(Options{Rand: rand.NewPCG(1, 2)})
	require.False(t, s.Large())
	db := s.DB(0)
	h, err := db.HashForWrite("hash")
	require.NoError(t, err)
	set, err := db.SetForWrite("set")
	require.NoError(t, err)
	z, err := db.ZSetForWrite("zset")
	require.NoError(t, err)
	l, err := db.ListForWrite("list")
	require.NoError(t, err)
	x, err := db.StreamForWrite("stream")
	require.NoError(t, err)
	long := strings.Repeat("x", 1000)
	for i := range aheadNodes * 10 {
		l.PushBack(long)
		require.NoError(t, x.Add(StreamID{Ms: uint64(i + 1)}, []string{"field", long}))
	}
	require.True(t, s.Large())
	s.large = false
	for i := range aheadMin + 1000 {
		name := fmt.Sprint("element", i)
		h.Set(name, name)
		set.Add(name)
		z.Set(name, float64(i%5000))
		db.Put(fmt.Sprint("key", i), NewString(name))
	}
	require.True(t, s.Large())
	return s
}

func TestReadAheadChangesNothing(t *testing.T) {
	s := largeStore(t)
	db := s.DB(0)
	before := s.Digest()
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		var lookups []FutureLookup
		for range rng.IntN(150) {
			w := FutureLookup{Key: []string{"hash", "set", "zset", "none", "list", "stream", fmt.Sprint("key", rng.IntN(2*aheadMin))}[rng.IntN(7)]}
			if rng.IntN(3) > 0 {
				w.Element = fmt.Sprint("element", rng.IntN(2*aheadMin))
			}
			if rng.IntN(3) == 0 {
				w.Score, w.Scored = rng.Float64()*1e4, true
			}
			switch rng.IntN(3) {
			case 0:
				w.Index, w.Indexed = rng.IntN(40*aheadNodes)-20*aheadNodes, true
			case 1:
				w.ID, w.From = StreamID{Ms: rng.Uint64N(20 * aheadNodes)}, true
			}
			lookups = append(lookups, w)
		}
		db.ReadAhead(lookups)
	}
	require.Equal(t, before, s.Digest())
	require.NoError(t, s.Check())
}

// prefetch finds the same elements as a lookup.
func TestPrefetch(t *testing.T) {
	s := largeStore(t)
	h, err := s.DB(0).Hash("hash")
	require.NoError(t, err)
	var keys []string
	for i := range aheadBatch {
		// the last few are missing
		keys = append(keys, fmt.Sprint("element", i*(aheadMin+2000)/aheadBatch))
	}
	var found [aheadBatch]int32
	h.dict.Prefetch(append([]string(nil), keys...), &found)
	missing := 0
	for i, k := range keys {
		if !h.Has(k) {
			missing++
			continue
		}
		field, _ := h.dict.At(int(found[i]))
		require.Equal(t, k, field)
	}
	require.Positive(t, missing)
	require.Less(t, missing, aheadBatch)
}

// Without elements, and for small values, there is nothing to prefetch.
func TestReadAheadOfSmallValues(t *testing.T) {
	s := New(Options{})
	db := s.DB(0)
	h, err := db.HashForWrite("hash")
	require.NoError(t, err)
	h.Set("field", "value")
	db.ReadAhead([]FutureLookup{{Key: "hash", Element: "field"}, {Key: "none", Element: "field"}, {Key: "hash"}})
	db.ReadAhead(nil)
	require.NoError(t, s.Check())
}

// What is prefetched of a node may be any number of bytes, also whole cache lines.
func TestPrefetchedNodesOfAnySize(t *testing.T) {
	db := New(Options{}).DB(0)
	for size := 10; size < 80; size++ {
		l, err := db.ListForWrite(strconv.Itoa(size))
		require.NoError(t, err)
		for l.nodes.len() < 2*aheadNodes {
			l.PushBack(strings.Repeat("x", size))
		}
		lines := 0
		for i := range l.Len() {
			if way := l.wayTo(i); len(way) > 0 && len(way)%64 == 0 {
				lines++
				prefetchNodes([]FutureLookup{{obj: l, Indexed: true, Index: i}})
			}
		}
		if size == 62 {
			require.Positive(t, lines)
		}
	}
}
