package parse

import (
	"math/big"

	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/reply"
)

// Timeout reads the timeout of a blocking command in seconds, and returns it in ms. When ok is
// false the reply is the error.
func Timeout(s string) (ms int64, errReply reply.Value, ok bool) {
	f, ok := LongDouble(s)
	if !ok {
		return 0, reply.Err(errtext.TimeoutNotFloat), false
	}
	// Redis rounds up to whole milliseconds in a 64-bit integer, which overflows to a negative one.
	if f.IsInf() {
		return 0, reply.Err(errtext.TimeoutNegative), false
	}
	f.Mul(f, big.NewFloat(1000))
	if f.Cmp(big.NewFloat(-1)) <= 0 || f.Cmp(big.NewFloat(1<<63)) >= 0 {
		return 0, reply.Err(errtext.TimeoutNegative), false
	}
	ms, acc := f.Int64()
	if acc == big.Below {
		ms++
	}
	return max(0, ms), reply.Value{}, true
}
