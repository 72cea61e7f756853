package hashslot_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/hashslot"
)

func TestOf(t *testing.T) {
	for key, slot := range map[string]int{
		"":          0,
		"123456789": 0x31c3, // the check value of CRC16/XMODEM
		"foo":       12182,
		"{foo}bar":  12182,
		"a{foo}bar": 12182,
		"{foo}{b}":  12182,
		"{foo}}":    12182,
	} {
		require.Equal(t, slot, hashslot.Of(key), key)
	}
	require.Equal(t, hashslot.Of("{bar"), hashslot.Of("foo{{bar}zap"))
	for _, whole := range []string{"{}foo", "foo{}{bar}", "{foo", "foo}", "}foo{", "}{"} {
		crc := uint16(0)
		for _, c := range []byte(whole) {
			crc ^= uint16(c) << 8
			for range 8 {
				if carry := crc&0x8000 != 0; carry {
					crc = crc<<1 ^ 0x1021
				} else {
					crc <<= 1
				}
			}
		}
		require.Equal(t, int(crc)%hashslot.Count, hashslot.Of(whole), whole)
	}
}

func TestCacheIsOf(t *testing.T) {
	var c hashslot.Cache
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		key := make([]byte, rng.IntN(6))
		for i := range key {
			key[i] = "ab{}"[rng.IntN(4)]
		}
		text := string(key)
		if rng.IntN(10) == 0 {
			text = strings.Repeat("x", 55+rng.IntN(10)) + text
		}
		require.Equal(t, hashslot.Of(text), c.Slot(text), text)
	}
}
