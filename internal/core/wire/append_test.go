package wire_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/core/wire"
	"github.com/redmoon-lua/redmoon/reply"
)

func TestSizesAreThoseOfTheBytes(t *testing.T) {
	values := []reply.Value{
		reply.OK(), reply.Err("ERR a\nb"), reply.Int(math.MinInt64), reply.Nil(), reply.NilArray(), reply.None(), reply.Bool(true),
		reply.Double(0.1), reply.Double(-1e300), reply.Array(), reply.BigNumber("12345678901234567890123"),
		reply.Verbatim("txt", strings.Repeat("t", 200)), reply.Attribute(reply.Bulk("r"), reply.Bulk("k"), reply.Int(1)),
		reply.Map(reply.Bulk("k"), reply.Set(reply.Nil(), reply.Double(2))), reply.Push(reply.Bulk("x"), reply.Int(42)),
	}
	for _, n := range []int{0, 1, 9, 10, 99, 100, 1000} {
		values = append(values, reply.Bulk(strings.Repeat("x", n)), reply.Array(make([]reply.Value, n)...))
	}
	for _, v := range values {
		for _, proto := range []int{2, 3} {
			size := len(wire.Append(nil, v, proto))
			require.EqualValues(t, size, wire.Size(v, proto), "%v in RESP%d", v.Kind(), proto)
			require.GreaterOrEqual(t, 2*v.WireSize(), int64(size), "%v in RESP%d", v.Kind(), proto)
		}
	}
	for _, args := range [][]string{{"PING"}, {"SET", "k", ""}, {"ECHO", strings.Repeat("x", 100)}, make([]string, 12)} {
		require.EqualValues(t, len(wire.AppendCommand(nil, args...)), wire.CommandSize(args))
	}
}
