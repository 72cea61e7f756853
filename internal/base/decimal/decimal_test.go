package decimal_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/decimal"
)

func TestParseReadsOnlyWhatFormatWrites(t *testing.T) {
	for _, n := range []int64{0, 1, -1, 9, 10, 999, 1000, 9999, 10000, 1e18, -1e18, math.MaxInt64, math.MinInt64} {
		text := decimal.Format(n)
		require.Equal(t, strconv.FormatInt(n, 10), text)
		read, ok := decimal.Parse(text)
		require.True(t, ok, text)
		require.Equal(t, n, read)
	}
	for _, text := range []string{"", "-", "-0", "00", "01", "-01", "+1", " 1", "1 ", "1x", "1.0", "0x1", "١",
		"9223372036854775808", "-9223372036854775809", "100000000000000000000"} {
		_, ok := decimal.Parse(text)
		require.False(t, ok, text)
	}
}
