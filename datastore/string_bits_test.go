package datastore

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// bitText is text as zeros and ones, with some of the zeros that follow it.
func bitText(text string) string {
	var b strings.Builder
	for i := range len(text) + 20 {
		c := byte(0)
		if i < len(text) {
			c = text[i]
		}
		for k := 7; k >= 0; k-- {
			b.WriteByte('0' + c>>k&1)
		}
	}
	return b.String()
}

func randomText(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		switch r.IntN(3) {
		case 0:
			b[i] = 0xff
		case 1:
			b[i] = byte(r.Uint32())
		}
	}
	return string(b)
}

func TestBitsAgreeWithText(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 8))
		s := NewString(randomText(r, 1+r.IntN(90)))
		text, n := bitText(s.Text()), int64(s.Len())*8
		for range 30 {
			at := r.Int64N(n + 30)
			require.Equal(t, int(text[at]-'0'), s.Bit(at))
			width := uint(1 + r.IntN(64))
			want := uint64(0)
			for _, c := range text[at : at+int64(width)] {
				want = want<<1 | uint64(c-'0')
			}
			require.Equal(t, want, s.Field(at, width))
			from := r.Int64N(n)
			to := from + r.Int64N(n-from)
			require.Equal(t, int64(strings.Count(text[from:to+1], "1")), s.CountBits(from, to))
			for bit := range 2 {
				first := int64(strings.IndexByte(text[from:to+1], byte('0'+bit)))
				if first >= 0 {
					first += from
				}
				require.Equal(t, first, s.FindBit(bit, from, to))
			}
		}
	}
}

func TestCombineBitsAgreesWithText(t *testing.T) {
	ops := map[BitOp]func(a, b byte) byte{
		BitAnd: func(a, b byte) byte { return a & b },
		BitOr:  func(a, b byte) byte { return a | b },
		BitXor: func(a, b byte) byte { return a ^ b },
	}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 9))
		values := make([]*String, 1+r.IntN(4))
		longest := 0
		for i := range values {
			if r.IntN(6) > 0 {
				values[i] = NewString(randomText(r, r.IntN(70)))
				longest = max(longest, values[i].Len())
			}
		}
		at := func(v *String, i int) byte {
			if v == nil || i >= v.Len() {
				return 0
			}
			return v.Text()[i]
		}
		for op, f := range ops {
			want := make([]byte, longest)
			for i := range want {
				want[i] = at(values[0], i)
				for _, v := range values[1:] {
					want[i] = f(want[i], at(v, i))
				}
			}
			got := CombineBits(op, values)
			require.NoError(t, got.check())
			require.Equal(t, "raw", got.Encoding())
			require.Equal(t, string(want), got.Text())
		}
		got := CombineBits(BitNot, values[:1])
		for i := range got.Len() {
			require.Equal(t, ^at(values[0], i), got.Text()[i])
		}
	}
}

func TestReadingBitsDoesNotLend(t *testing.T) {
	st, s := New(Options{}), NewString("")
	s.Grow(st, 1<<16)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		s.SetBit(st, 12345, 1-s.Bit(12345))
		s.CountBits(0, 1<<19-1)
		s.FindBit(1, 0, 1<<19-1)
		s.SetField(st, 77, 13, s.Field(77, 13)+1)
		s.Grow(st, 100)
	}))
}

func TestSetBitOfTheSameBitDoesNotCopy(t *testing.T) {
	st, s := New(Options{}), NewString("")
	s.Grow(st, 1<<16)
	_ = s.Text()
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		was, changed := s.SetBit(st, 100, 0)
		assert.Zero(t, was)
		assert.False(t, changed)
	}))
}
