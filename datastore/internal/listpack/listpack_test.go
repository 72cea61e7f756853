package listpack

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// texts returns values at all limits of the encodings.
func texts() []string {
	out := []string{"", "a", "-", "-0", "00", "0", "+1", " 1", "1 ", "1.0", "0x1", "12a", "9223372036854775808", "-9223372036854775809",
		"18446744073709551616", "99999999999999999999", "123456789012345678901"}
	for _, n := range []int64{0, 127, 4095, -4096, math.MaxInt16, math.MinInt16, 1<<23 - 1, -1 << 23, math.MaxInt32, math.MinInt32,
		math.MaxInt64, math.MinInt64, 1e15, -1e15} {
		out = append(out, strconv.FormatInt(n, 10))
		if n < math.MaxInt64 {
			out = append(out, strconv.FormatInt(n+1, 10))
		}
		if n > math.MinInt64 {
			out = append(out, strconv.FormatInt(n-1, 10))
		}
	}
	for _, n := range []int{62, 63, 64, 125, 126, 127, 128, 4095, 4096, 16377, 16378, 16379, 16380, 1<<21 - 6, 1<<21 - 7} {
		out = append(out, strings.Repeat("x", n))
	}
	return out
}

// all reads the list forwards, and requires that reading it backwards gives the same.
func all(t *testing.T, l List) []string {
	t.Helper()
	out, back := []string{}, []string{}
	for p := l.First(); p != None; p = l.Next(p) {
		out = append(out, l.Text(p))
	}
	for p := l.Last(); p != None; p = l.Prev(p) {
		back = append(back, l.Text(p))
	}
	slices.Reverse(back)
	require.Equal(t, out, back)
	return out
}

func TestEveryEncodingIsReadBack(t *testing.T) {
	l, want := New(0), texts()
	for i, s := range want {
		l.Append(s)
		p := l.Last()
		require.Equal(t, len(l)-1-p, EntrySize(s))
		require.True(t, l.Equal(p, s))
		require.False(t, l.Equal(p, s+"x"))
		require.Zero(t, l.Compare(p, s))
		require.Negative(t, l.Compare(p, s+"x"))
		if s != "" {
			require.Positive(t, l.Compare(p, s[:len(s)-1]))
		}
		n, err := strconv.ParseInt(s, 10, 64)
		m, isInt := l.Int(p)
		require.Equal(t, err == nil && strconv.FormatInt(n, 10) == s, isInt, s)
		if isInt {
			require.Equal(t, n, m)
		}
		require.Equal(t, i+1, l.Len())
	}
	require.NoError(t, Validate(l, true))
	require.Equal(t, want, all(t, l))
	for i, s := range want {
		require.Equal(t, s, l.Text(l.Find(l.First(), s, 0)))
		require.Equal(t, s, l.Text(l.Seek(i)))
		require.Equal(t, s, l.Text(l.Seek(i-len(want))))
	}
	require.Equal(t, None, l.Seek(len(want)))
	require.Equal(t, None, l.Seek(-len(want)-1))
	require.Equal(t, None, l.Find(l.First(), "none", 0))
	require.Equal(t, None, l.Find(l.First(), strings.Repeat("n", 70), 0))
	require.Equal(t, None, l.Find(l.First(), "4711", 0))
}

// The bytes are those of DUMP of redis-server 7.0.15 for a hash with these fields and values.
func TestBytesAreThoseOfRedis(t *testing.T) {
	l := New(0)
	for _, s := range []string{
		"f", "v", "-1", "4095", "32767", "8388607", "-2147483648", "9223372036854775807",
		strings.Repeat("l", 70), "127",
	} {
		l.Append(s)
	}
	require.Equal(t, redisBytes, hex.EncodeToString(l))
}

const redisBytes = "770000000a00816602817602dfff02cfff02f1ff7f03f2ffff7f04f30000008005f4ffffffffffffff7f09e0466c6c6c6c6c" +
	"6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c" +
	"6c6c6c6c6c6c6c6c6c6c6c6c6c6c6c487f01ff"

func TestFindSkipsEntries(t *testing.T) {
	l := New(0)
	for _, s := range []string{"a", "b", "b", "1", "1", "a"} {
		l.Append(s)
	}
	require.Equal(t, l.Seek(2), l.Find(l.First(), "b", 1))
	require.Equal(t, l.Seek(4), l.Find(l.First(), "1", 1))
	require.Equal(t, l.Seek(3), l.Find(l.First(), "1", 0))
	require.Equal(t, l.Seek(3), l.Find(l.First(), "1", 2))
	require.Equal(t, l.First(), l.Find(l.First(), "a", 1))
	require.Equal(t, l.Last(), l.Find(l.Seek(1), "a", 1))
	require.Equal(t, None, l.Find(l.Seek(2), "a", 1))
	require.Equal(t, None, l.Find(None, "a", 0))
}

func randomText(r *rand.Rand) string {
	switch r.IntN(4) {
	case 0:
		return strconv.FormatInt(int64(r.Uint64())>>r.IntN(64), 10)
	case 1:
		return strings.Repeat("t", r.IntN(200))
	case 2:
		return strings.Repeat("u", r.IntN(5000))
	}
	return strconv.FormatInt(int64(r.IntN(3000)), 36)
}

// step makes one random change to l and to the model m, and returns the model.
func step(t *testing.T, r *rand.Rand, l *List, m []string) []string {
	s := randomText(r)
	n := len(m)
	if n == 0 {
		l.Append(s)
		return []string{s}
	}
	i := r.IntN(n)
	at := i
	if r.IntN(2) == 0 {
		at = i - n
	}
	p := l.Seek(at)
	require.Equal(t, m[i], l.Text(p))
	switch r.IntN(8) {
	case 0:
		require.Equal(t, p, l.InsertBefore(p, s))
		return slices.Insert(m, i, s)
	case 1:
		require.Equal(t, s, l.Text(l.InsertAfter(p, s)))
		return slices.Insert(m, i+1, s)
	case 2:
		l.Replace(p, s)
		m[i] = s
	case 3:
		next := l.Delete(p)
		if m = slices.Delete(m, i, i+1); i == len(m) {
			require.Equal(t, None, next)
		} else {
			require.Equal(t, m[i], l.Text(next))
		}
	case 4:
		k := r.IntN(4)
		l.DeleteRange(at, k)
		return slices.Delete(m, i, min(n, i+k))
	case 5:
		l.ReplaceInt(p, int64(i)-2)
		m[i] = strconv.Itoa(i - 2)
	case 6:
		k := min(2, n-i)
		raw := l.Raw(p, k)
		before := l.Clone()
		l.Splice(p, k, nil, 0)
		require.NoError(t, Validate(*l, true))
		l.Splice(p, 0, raw, k)
		require.Equal(t, before, *l)
	default:
		l.AppendInt(int64(n))
		return append(m, strconv.Itoa(n))
	}
	return m
}

func TestRandomChangesAgreeWithASlice(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		l, m := New(r.IntN(100)), []string{}
		for i := range 600 {
			kept := l.Clone()
			m = step(t, r, &l, m)
			require.Equal(t, len(m), l.Len())
			if i%20 == 0 {
				require.NoError(t, Validate(l, true))
				require.Equal(t, m, all(t, l))
				require.Equal(t, append([]string{}, m...), all(t, rebuilt(m)))
				require.Equal(t, []byte(rebuilt(m)), []byte(l), "equal contents have equal bytes")
			}
			require.NoError(t, Validate(kept, true), "a clone is apart")
		}
	}
}

func rebuilt(m []string) List {
	l := New(0)
	for _, s := range m {
		l.Append(s)
	}
	return l
}

func TestTextsSurviveChanges(t *testing.T) {
	l := New(0)
	l.Append("kept")
	s := l.Text(l.First())
	l.Replace(l.First(), "gone")
	l.InsertBefore(l.First(), "more")
	require.Equal(t, "kept", s)
}

func TestMoreEntriesThanTheHeaderCounts(t *testing.T) {
	l := New(0)
	for i := range unknown + 10 {
		l.AppendInt(int64(i % 100))
	}
	require.Equal(t, unknown, l.headerCount())
	require.Equal(t, unknown+10, l.Len())
	require.NoError(t, Validate(l, true))
	require.Equal(t, "44", l.Text(l.Seek(-1)))
	require.Equal(t, "44", l.Text(l.Seek(unknown+9)))
	require.Equal(t, None, l.Seek(unknown+10))
	require.Equal(t, None, l.Seek(-unknown-11))
	l.DeleteRange(100, 20)
	require.Equal(t, unknown, l.headerCount())
	require.Equal(t, unknown-10, l.Len())
	require.Equal(t, unknown-10, l.headerCount())
}

// Damaged bytes are refused, or can be read without a panic.
func TestValidateLetsNothingUnreadableThrough(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	l := New(0)
	for _, s := range []string{"field", "12", "-70000", strings.Repeat("x", 100), strings.Repeat("y", 5000), "1234567890123", ""} {
		l.Append(s)
	}
	require.NoError(t, Validate(l, true))
	accepted := 0
	for i := range 60000 {
		b := l.Clone()
		for range 1 + r.IntN(3) {
			b[r.IntN(min(len(b), 140))] = byte(r.IntN(256))
		}
		if i%3 == 0 {
			b = b[:r.IntN(len(b))]
		}
		if err := Validate(b, true); err != nil {
			require.ErrorIs(t, err, ErrCorrupt)
			continue
		}
		accepted++
		require.NoError(t, Validate(b, false))
		require.Len(t, all(t, b), b.Len())
	}
	require.Positive(t, accepted)
	for _, b := range [][]byte{nil, []byte(New(0))[:6], append(New(0), 0), {8, 0, 0, 0, 1, 0, 1, 0xff}, {8, 0, 0, 0, 0, 0, 0xff, 0xff}} {
		require.Error(t, Validate(b, true), fmt.Sprint(b))
	}
}

func BenchmarkFind(b *testing.B) {
	l := New(0)
	for i := range 50 {
		l.Append(fmt.Sprint("field:", i))
		l.Append(fmt.Sprint("value:", i))
	}
	for b.Loop() {
		if l.Find(l.First(), "field:25", 1) == None {
			b.Fatal("not found")
		}
	}
}
