package lzf

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// randomText returns a text of n bytes with few distinct letters, repetitions of itself, or both.
func randomText(r *rand.Rand, n int) []byte {
	letters := 1 + r.IntN(256)
	b := make([]byte, 0, n)
	for len(b) < n {
		if len(b) > 4 && r.IntN(3) == 0 {
			from := r.IntN(len(b))
			b = append(b, b[from:from+r.IntN(len(b)-from)]...)
			continue
		}
		b = append(b, byte(r.IntN(letters)))
	}
	return b[:n]
}

func TestCompressedTextsAreRestored(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		src := randomText(r, 1+r.IntN(20000))
		z := Compress(src, len(src)-4)
		if z == nil {
			continue
		}
		require.LessOrEqual(t, len(z), len(src)-4)
		text, ok := Decompress(z, len(src))
		require.True(t, ok)
		require.True(t, bytes.Equal(src, text))
		_, ok = Decompress(z, len(src)-1)
		require.False(t, ok)
		_, ok = Decompress(z, len(src)+1)
		require.False(t, ok)
	}
}

// The bytes are those of redis-server 7.0.15's DUMP.
func TestBytesAreThoseOfRedis(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{strings.Repeat("a", 21), "016161e00a00"},
		{strings.Repeat("ab", 300), "02616261e0ff01e0ff01e03a01016162"},
		{strings.Repeat("0123456789", 12), "0a3031323334353637383930e06209013839"},
	} {
		require.Equal(t, c.want, hex.EncodeToString(Compress([]byte(c.text), len(c.text)-4)), c.text)
	}
}

func TestTextsThatDoNotShrinkAreLeft(t *testing.T) {
	require.Nil(t, Compress([]byte("abcdefghijklmnopqrstuvwxyz"), 22))
	require.Nil(t, Compress(nil, 10))
	require.Nil(t, Compress([]byte("aaaa"), 0))
}

func TestDamagedTextsAreRefused(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		src := randomText(r, 30+r.IntN(300))
		z := Compress(src, len(src))
		if z == nil {
			continue
		}
		for range 3 {
			z[r.IntN(len(z))] = byte(r.Uint32())
		}
		if text, ok := Decompress(z, len(src)); ok {
			require.Len(t, text, len(src))
		}
	}
	_, ok := Decompress([]byte{0x00, 'a', 0xe0, 0x00, 0x00}, 1<<40)
	require.False(t, ok, "a size that no such text can have")
}
