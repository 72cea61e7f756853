package intset

import (
	"encoding/hex"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func add(s *Set, n int64) bool {
	i, found := s.Find(n)
	if !found {
		s.Insert(i, n)
	}
	return !found
}

func ints(s Set) []int64 {
	out := []int64{}
	for i := range s.Len() {
		out = append(out, s.At(i))
	}
	return out
}

func randomInt(r *rand.Rand) int64 {
	switch r.IntN(40) {
	case 0:
		return int64(r.Uint64())
	case 1, 2:
		return int64(int32(r.Uint32()))
	}
	return int64(r.IntN(400)) - 200
}

func TestRandomChangesAgreeWithASlice(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 5))
		s, m, width := New(), []int64{}, 2
		for range 500 {
			n := randomInt(r)
			at, had := slices.BinarySearch(m, n)
			i, found := s.Find(n)
			require.Equal(t, had, found)
			require.Equal(t, at, i)
			switch {
			case !had:
				before := s.Clone()
				s.Insert(i, n)
				m = slices.Insert(m, at, n)
				undone := s.Clone()
				undone.Delete(i)
				undone.Narrow(width)
				require.Equal(t, before, undone)
				width = max(width, widthOf(n))
			case r.IntN(2) == 0:
				s.Delete(i)
				m = slices.Delete(m, at, at+1)
			}
			require.Equal(t, width, s.Width())
			require.Equal(t, m, ints(s))
			if len(m) > 0 {
				require.NoError(t, Validate(s, true))
			}
		}
	}
}

func TestWidthsBeginAtTheirBorders(t *testing.T) {
	for _, c := range []struct {
		n     int64
		width int
	}{{math.MaxInt16, 2}, {math.MinInt16, 2}, {math.MaxInt16 + 1, 4}, {math.MinInt16 - 1, 4}, {math.MaxInt32, 4}, {math.MinInt32, 4},
		{math.MaxInt32 + 1, 8}, {math.MinInt32 - 1, 8}, {math.MaxInt64, 8}, {math.MinInt64, 8}} {
		s := New()
		add(&s, 1)
		add(&s, c.n)
		require.Equal(t, c.width, s.Width(), c.n)
	}
}

// The bytes are those of DUMP of redis-server 7.0.15 after SADD 1 -2 70000 1 and SREM 70000.
func TestBytesAreThoseOfRedis(t *testing.T) {
	s := New()
	for _, n := range []int64{1, -2, 70000, 1} {
		add(&s, n)
	}
	require.Equal(t, "0400000003000000feffffff0100000070110100", hex.EncodeToString(s))
	i, _ := s.Find(70000)
	s.Delete(i)
	require.Equal(t, "0400000002000000feffffff01000000", hex.EncodeToString(s))
}

func TestValidateRefusesDamage(t *testing.T) {
	s := New()
	require.ErrorIs(t, Validate(s, false), ErrCorrupt, "empty")
	add(&s, 1)
	add(&s, 2)
	require.NoError(t, Validate(s, true))
	for _, damage := range []func(b Set) Set{
		func(b Set) Set { return b[:len(b)-1] },
		func(b Set) Set { return append(b, 0) },
		func(b Set) Set { return b[:7] },
		func(b Set) Set { b[0] = 3; return b },
		func(b Set) Set { b[4] = 3; return b },
		func(b Set) Set { b[7] = 0x80; return b },
	} {
		require.ErrorIs(t, Validate(damage(s.Clone()), false), ErrCorrupt)
	}
	s[8] = 2
	require.NoError(t, Validate(s, false))
	require.ErrorIs(t, Validate(s, true), ErrCorrupt)
}
