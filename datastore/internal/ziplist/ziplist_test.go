package ziplist

import (
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// bytesOf reads hexadecimal with spaces.
func bytesOf(t *testing.T, s string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	require.NoError(t, err)
	return b
}

// Entries "a", 7, -100, 1000, -100000, 1<<30, -(1<<50) and 12.
const numbers = "2e0000002b000000080000016103f802fe9c03c0e80304f06079fe05d00000004006e0000000000000fcff0afdff"

func TestEveryEncodingOfAZiplist(t *testing.T) {
	texts, err := Texts(bytesOf(t, numbers))
	require.NoError(t, err)
	require.Equal(t, []string{"a", "7", "-100", "1000", "-100000", "1073741824", "-1125899906842624", "12"}, texts)

	long := strings.Repeat("x", 300)
	zl := append(bytesOf(t, "00000000 00000000 0200 00 412c"), long...)
	tail := len(zl)
	zl = append(append(zl, bytesOf(t, "fe 2f010000 80 00000002")...), "yz\xff"...)
	zl[0], zl[1], zl[4], zl[5] = byte(len(zl)), byte(len(zl)>>8), byte(tail), byte(tail>>8)
	texts, err = Texts(zl)
	require.NoError(t, err)
	require.Equal(t, []string{long, "yz"}, texts)
}

func TestZipmap(t *testing.T) {
	pairs, err := Pairs(bytesOf(t, "02 01 61 02 00 6263 00 01 02 64 0000 ff"))
	require.NoError(t, err)
	require.Equal(t, []string{"a", "bc", "", "d"}, pairs)
	_, err = Pairs(bytesOf(t, "01 fe02000000 6162 01 00 63 ff"))
	require.ErrorIs(t, err, ErrCorrupt, "a length of 4 bytes that does not need them")
}

func TestDamagedBytesAreRefusedOrRead(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range []string{numbers, "02 01 61 02 00 6263 00 01 02 64 0000 ff"} {
		for range 50000 {
			b := bytesOf(t, s)
			b = b[:len(b)-r.IntN(3)*r.IntN(2)]
			for range 1 + r.IntN(4) {
				b[r.IntN(len(b))] = byte(r.Uint32())
			}
			if texts, err := Texts(b); err == nil {
				require.LessOrEqual(t, len(texts), len(b))
			}
			if pairs, err := Pairs(b); err == nil {
				require.Zero(t, len(pairs)%2)
			}
		}
	}
	for n := range 12 {
		_, err := Texts(make([]byte, n))
		require.ErrorIs(t, err, ErrCorrupt)
		_, err = Pairs(make([]byte, n))
		require.ErrorIs(t, err, ErrCorrupt)
	}
}
