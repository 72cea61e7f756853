package parse

import (
	"math"
	"math/big"

	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/reply"
)

// Anytime is the longest timeout of servers that accept every end.
const Anytime = 0

// Timeout reads the timeout of a blocking command in seconds, and returns it in ms. longest is the
// longest one in ms, or [Anytime]. When ok is false the reply is the error.
func Timeout(s string, longest int64) (ms int64, errReply reply.Value, ok bool) {
	f, ok := LongDouble(s)
	if !ok {
		return 0, reply.Err(errtext.TimeoutNotFloat), false
	}
	// Redis 7.0 rounds up to whole milliseconds in a 64-bit integer, which overflows to a negative
	// one.
	tooLong := errtext.TimeoutNegative
	if longest != Anytime {
		tooLong = errtext.TimeoutRange
	}
	if f.IsInf() {
		if f.Sign() < 0 {
			tooLong = errtext.TimeoutNegative
		}
		return 0, reply.Err(tooLong), false
	}
	f.Mul(f, big.NewFloat(1000))
	if f.Cmp(big.NewFloat(-1)) <= 0 {
		return 0, reply.Err(errtext.TimeoutNegative), false
	}
	if f.Cmp(big.NewFloat(1<<63)) >= 0 {
		return 0, reply.Err(tooLong), false
	}
	ms, acc := f.Int64()
	if acc == big.Below && ms < math.MaxInt64 {
		ms++
	}
	if longest != Anytime && ms > longest {
		return 0, reply.Err(errtext.TimeoutRange), false
	}
	return max(0, ms), reply.Value{}, true
}

// TimeoutMillis is [Timeout] for a whole number of milliseconds.
func TimeoutMillis(s string, longest int64) (ms int64, errReply reply.Value, ok bool) {
	ms, ok = Int(s)
	switch {
	case !ok:
		return 0, reply.Err(errtext.TimeoutNotInt), false
	case ms < 0:
		return 0, reply.Err(errtext.TimeoutNegative), false
	case longest != Anytime && ms > longest:
		return 0, reply.Err(errtext.TimeoutRange), false
	}
	return ms, reply.Value{}, true
}
