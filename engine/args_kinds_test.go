package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
)

// Arguments may be of any simple kind.
func TestKindsOfArguments(t *testing.T) {
	e := newEngine(t, engine.Options{})
	for _, c := range []struct {
		arg  any
		want string
	}{
		{"s", "s"}, {[]byte("b"), "b"}, {int(-12), "-12"}, {int8(-12), "-12"}, {int16(-1200), "-1200"},
		{int32(-120000), "-120000"}, {int64(-1 << 62), "-4611686018427387904"}, {uint(12), "12"}, {uint8(200), "200"},
		{uint16(60000), "60000"}, {uint32(4e9), "4000000000"}, {uint64(1 << 63), "9223372036854775808"}, {float32(1.5), "1.5"},
		{1.5, "1.5"}, {1e21, "1000000000000000000000"}, {true, "1"}, {false, "0"}, {nil, ""}, {3 * time.Second, "3000000000"},
		{time.Unix(0, 5).UTC(), "1970-01-01T00:00:00.000000005Z"},
	} {
		v, err := e.Do(context.Background(), "ECHO", c.arg)
		require.NoError(t, err, "%T", c.arg)
		require.Equal(t, c.want, v.Text(), "%T", c.arg)
	}
	_, err := e.Do(context.Background(), "ECHO", struct{}{})
	require.ErrorContains(t, err, "cannot send an argument of type struct {}")
}
