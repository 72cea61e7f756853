package numbers

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// testdata/short.txt has the answers of Redis 8.0, which the tests of difftest record.
func TestShortTextsAreThoseOfRedis(t *testing.T) {
	text, err := os.ReadFile("testdata/short.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		var bits uint64
		var want string
		_, err := fmt.Sscanf(line, "%x %s", &bits, &want)
		require.NoError(t, err)
		require.Equal(t, want, string(AppendShortArgument(nil, math.Float64frombits(bits))), line)
	}
}

func TestShortTextsOfSpecialFloats(t *testing.T) {
	negativeZero, negativeNaN := math.Copysign(0, -1), math.Copysign(math.NaN(), -1)
	for _, c := range []struct {
		f               float64
		reply, argument string
	}{
		{0, "0", "0"}, {negativeZero, "-0", "0"}, {math.NaN(), "nan", "nan"}, {negativeNaN, "nan", "-nan"},
		{math.Inf(1), "inf", "inf"}, {math.Inf(-1), "-inf", "-inf"}, {1 << 62, "4611686018427387904", "4611686018427387904"},
		{1 << 63, "9223372036854776000", "9223372036854776000"}, {1e19, "1e+19", "1e+19"}, {-1e-7, "-1e-7", "-1e-7"},
	} {
		assert.Equal(t, c.reply, string(AppendShort(nil, c.f)))
		assert.Equal(t, c.argument, string(AppendShortArgument(nil, c.f)))
	}
}

func BenchmarkAppendShort(b *testing.B) {
	var room [32]byte
	for b.Loop() {
		AppendShort(room[:0], 1.0/3)
	}
}
