package script

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDurationsInJSON(t *testing.T) {
	for text, want := range map[string]JSONMillis{"1": 1e6, "1.5": 1.5e6, "-2": -2e6, "0.000001": 1, "0": 0,
		"1000000000000": 1e18} {
		var d JSONMillis
		require.NoError(t, json.Unmarshal([]byte(text), &d), text)
		require.Equal(t, want, d, text)
		back, err := json.Marshal(d)
		require.NoError(t, err)
		require.JSONEq(t, text, string(back))
	}
	var d JSONMillis
	for _, text := range []string{"9223372036854.775807", "-9223372036854.775808", "1e300", "x", `"1"`} {
		require.Error(t, json.Unmarshal([]byte(text), &d), text)
		require.Zero(t, d)
	}
	require.Equal(t, float64(1<<63), float64(math.MaxInt64), "so a bound of a float is one too high")
}
