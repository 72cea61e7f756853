package hyperloglog

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMurmur64A(t *testing.T) { // values of redis-server: the position that PFDEBUG DECODE shows
	for element, want := range map[string]struct {
		index int
		count uint8
	}{"a": {12711, 2}, "b": {15780, 1}, "c": {8436, 1}} {
		index, count := Position(element)
		require.Equal(t, want.index, index, element)
		require.Equal(t, want.count, count, element)
	}
}

// registers reads a sparse form into an array.
func registers(t *testing.T, text string) *Union {
	t.Helper()
	var u Union
	require.True(t, Valid(text))
	require.NoError(t, u.Add(text))
	return &u
}

func TestSparseAgreesWithArray(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		b, want := New(), Union{}
		spread := 1 + r.IntN(Registers)
		for range 600 {
			index, count := r.IntN(spread), uint8(1+r.IntN(1+r.IntN(valMaxCount)))
			p, err := Find(string(b), index)
			require.NoError(t, err)
			require.Equal(t, want[index], p.Count())
			if count <= p.Count() {
				continue
			}
			want[index] = count
			var ok bool
			b, ok = SetSparse(b, p, count, 1<<20)
			require.True(t, ok)
			require.True(t, IsStale(string(b)))
		}
		require.True(t, want == *registers(t, string(b)))
		dense, err := Dense(string(b))
		require.NoError(t, err)
		require.True(t, want == *registers(t, string(dense)))
		for range 50 {
			i := r.IntN(Registers)
			require.Equal(t, want[i], DenseGet(string(dense), i))
		}
		a, err := Count(string(b))
		require.NoError(t, err)
		c, err := Count(string(dense))
		require.NoError(t, err)
		require.Equal(t, a, c)
		require.Equal(t, a, want.Count())
	}
}

func TestDenseRegistersDoNotTouchEachOther(t *testing.T) {
	b, err := Dense(string(New()))
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(1, 1))
	var want Union
	for range 2000 {
		index, count := r.IntN(Registers), uint8(r.IntN(registerMax+1))
		before := string(b)
		DenseSet(b, index, count)
		want[index] = count
		from, to := DenseSpan(index)
		require.Equal(t, before[:from]+string(b[from:to])+before[to:], string(b))
	}
	require.True(t, want == *registers(t, string(b)))
}

func TestSparseRefusesWithoutChange(t *testing.T) {
	b := New()
	before := string(b)
	p, err := Find(before, 1000)
	require.NoError(t, err)
	_, ok := SetSparse(b, p, valMaxCount+1, 1<<20)
	require.False(t, ok)
	_, ok = SetSparse(b, p, 1, len(b)+2)
	require.False(t, ok)
	require.Equal(t, before, string(b))
	_, ok = SetSparse(b, p, 1, len(b)+3)
	require.True(t, ok)
}

func TestEstimateIsClose(t *testing.T) {
	var u Union
	for n := 1; n <= 1_000_000; n++ {
		index, count := Position(strconv.Itoa(n))
		u[index] = max(u[index], count)
		if n == 10 || n == 1000 || n == 30_000 || n == 1_000_000 {
			require.InEpsilon(t, n, u.Count(), 0.03)
		}
	}
}

// FuzzAnyText reads and changes texts that clients may have written.
func FuzzAnyText(f *testing.F) {
	f.Add(New(), uint16(0), uint8(1))
	f.Add(append(New(), 0x7f), uint16(16383), uint8(32))
	f.Fuzz(func(t *testing.T, b []byte, index uint16, count uint8) {
		text := string(b)
		if !Valid(text) {
			return
		}
		_, err := Count(text)
		var u Union
		require.Equal(t, err, u.Add(text))
		if !IsSparse(text) {
			require.NoError(t, err)
			return
		}
		_ = Opcodes(text)
		_, denseErr := Dense(text)
		require.Equal(t, err, denseErr)
		p, findErr := Find(text, int(index)%Registers)
		count = 1 + count%51
		if findErr != nil || p.Count() >= count {
			return
		}
		out, ok := SetSparse([]byte(text), p, count, len(text)+2)
		if ok && err == nil {
			want := u
			want[int(index)%Registers] = count
			require.True(t, want == *registers(t, string(out)))
		}
	})
}
