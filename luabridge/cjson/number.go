package cjson

import (
	"math"
	"strconv"

	"github.com/redmoon-lua/redmoon/internal/base/numbers"
)

// defaultPrecision is the largest number of digits of a number.
const defaultPrecision = 14

// number appends f as JSON texts show it.
func (c *Codec) number(b []byte, f float64) []byte {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		switch c.encodeInvalid {
		case 0:
			return c.fail(b, "Cannot serialise number: must not be NaN or Inf")
		case 2:
			return append(b, "null"...)
		}
		if math.IsNaN(f) {
			return append(b, "nan"...)
		}
	}
	return appendNumber(b, f, c.precision)
}

// appendNumber appends f as C's "%.<precision>g".
func appendNumber(b []byte, f float64, precision int) []byte {
	if precision == defaultPrecision && f != math.Trunc(f) {
		if out, ok := appendDecimal(b, f); ok {
			return out
		}
	}
	return numbers.Append(b, f, precision)
}

// appendDecimal appends a number with up to four decimals, such as an amount of money. If n/10^k,
// rounded to a float, is f, and n has at most 14 digits, then 14 digits of f show n/10^k: a float
// differs from its decimal by far less than the last of them. With k at most 4 there is no exponent
// to write.
func appendDecimal(b []byte, f float64) ([]byte, bool) {
	size := math.Abs(f)
	if size >= 1e10 {
		return b, false
	}
	for k := 1; k <= 4; k++ {
		n := math.Round(size * powers[k])
		if n/powers[k] != size {
			continue
		}
		if f < 0 {
			b = append(b, '-')
		}
		whole, rest := int64(n)/int64(powers[k]), int64(n)%int64(powers[k])
		b = strconv.AppendInt(b, whole, 10)
		b = append(b, '.')
		for p := int64(powers[k-1]); p > 0; p /= 10 {
			b = append(b, byte('0'+rest/p%10))
		}
		return b, true
	}
	return b, false
}
