package money_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/money"
)

func TestMoney(t *testing.T) {
	for text, cents := range map[string]int64{
		"0.01": 1, "5": 500, "5.": 500, "12.3": 1230, "1,000,000.00": 100_000_000, "92233720368547758.07": math.MaxInt64,
	} {
		got, err := money.Parse(text)
		require.NoError(t, err)
		require.Equal(t, cents, got, text)
	}
	for _, text := range []string{"", ".5", "-1", "+1", "1.234", "1e3", "x", "1_0", "92233720368547758.08"} {
		_, err := money.Parse(text)
		require.Error(t, err, text)
	}
	for cents, text := range map[int64]string{0: "0.00", 5: "0.05", -123456: "-1,234.56", 100_000_000: "1,000,000.00"} {
		require.Equal(t, text, money.Format(cents))
	}
	require.Equal(t, "-123,456", money.Count(-123456))
	require.Equal(t, fmt.Sprint(999), money.Count(999))
}
