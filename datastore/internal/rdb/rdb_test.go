package rdb

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestElementsRoundTrip(t *testing.T) {
	numbers := []uint64{0, 63, 64, 16383, 16384, math.MaxUint32, math.MaxUint32 + 1, math.MaxInt64}
	texts := []string{"", "a", "-128", "32767", "-2147483648", "2147483648", "007", strings.Repeat("ab", 100), strings.Repeat("x", 70000)}
	for _, compress := range []bool{false, true} {
		w := Writer{Compress: compress}
		for _, n := range numbers {
			w.Length(n)
		}
		for _, s := range texts {
			w.Text(s)
		}
		w.Double(-1.5)
		w.Int64(math.MinInt64)
		w.IntText(1 << 40)
		body, ok := Unseal(w.Seal(10), upTo(10), false)
		require.True(t, ok)
		r := NewReader(body)
		for _, n := range numbers {
			require.Equal(t, n, r.Length())
		}
		for _, s := range texts {
			require.Equal(t, s, r.Text())
		}
		require.EqualValues(t, -1.5, r.Double())
		require.EqualValues(t, math.MinInt64, r.Int64())
		require.Equal(t, "1099511627776", r.Text())
		require.False(t, r.Bad)
		require.Equal(t, len(body), r.Pos())
		r.Byte()
		require.True(t, r.Bad, "nothing is left to read")
	}
}

// upTo accepts versions up to last.
func upTo(last int) func(int) bool { return func(version int) bool { return version <= last } }

func TestUnsealRefuses(t *testing.T) {
	w := Writer{}
	w.Text("text")
	dump := w.Seal(10)
	_, ok := Unseal(dump, upTo(9), true)
	require.False(t, ok, "a later version")
	dump[0] ^= 1
	_, ok = Unseal(dump, upTo(10), false)
	require.False(t, ok, "a wrong checksum")
	_, ok = Unseal(dump, upTo(10), true)
	require.True(t, ok)
	_, ok = Unseal(dump[:FooterSize-1], upTo(10), true)
	require.False(t, ok, "too short")
}

// The answers are those of glibc's sscanf with %lg.
func TestReadFloat(t *testing.T) {
	for text, want := range map[string]float64{
		"1.5": 1.5, " 2x": 2, "0x1f": 31, "0x.8": 0.5, "0x.": 0, "1e": 1, "-inf": math.Inf(-1), "infinity": math.Inf(1), "infx": math.Inf(1),
	} {
		f, ok := readFloat(text)
		require.True(t, ok, text)
		require.Equal(t, want, f, text)
	}
	for _, text := range []string{"", "x", "0x", "-0x!f", "0xg", "infi", "in", "na"} {
		_, ok := readFloat(text)
		require.False(t, ok, text)
	}
}
