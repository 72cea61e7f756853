package parse

import (
	"math"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/decimal"
	"github.com/redmoon-lua/redmoon/internal/base/glob"
)

// Int is [decimal.Parse].
func Int(s string) (int64, bool) { return decimal.Parse(s) }

// Float reads a double as Redis does for scores and increments: C's strtod on the whole text, no
// leading space, NaN, overflow and underflow to zero refused, infinities and hexadecimal allowed.
func Float(s string) (float64, bool) {
	if s == "" || IsSpace(s[0]) {
		return 0, false
	}
	f, ok := Strtod(s)
	if f == 0 && ok {
		mantissa, _, _ := strings.Cut(strings.ToLower(s), "p")
		if hexadecimal := strings.ContainsAny(mantissa, "x"); !hexadecimal {
			mantissa, _, _ = strings.Cut(mantissa, "e")
		}
		ok = !strings.ContainsAny(mantissa, "123456789abcdef")
	}
	if math.IsInf(f, 0) {
		ok = ok && !strings.ContainsAny(s, "0123456789")
	}
	return f, ok
}

// IsHexadecimal reports whether a text that may be a number would be a hexadecimal one.
func IsHexadecimal(s string) bool { return strings.ContainsAny(s, "xX") }

// IsSpace reports whether C's isspace takes a byte for a space.
func IsSpace(b byte) bool { return b == ' ' || b >= '\t' && b <= '\r' }

// Strtod reads a double in the syntax of C's strtod, which must take all of s. Overflow gives an
// infinity; NaN is refused.
func Strtod(s string) (float64, bool) {
	if strings.IndexByte(s, '_') >= 0 {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		if ne, ok := err.(*strconv.NumError); !ok || ne.Err != strconv.ErrRange {
			return hexFloat(s)
		}
	}
	return f, !math.IsNaN(f)
}

// hexFloat reads hexadecimal without the exponent that Go wants and C does not.
func hexFloat(s string) (float64, bool) {
	l := strings.ToLower(s)
	if !strings.Contains(l, "0x") || strings.Contains(l, "p") {
		return 0, false
	}
	f, err := strconv.ParseFloat(s+"p0", 64)
	return f, err == nil
}

// IsToken is [glob.IsToken].
func IsToken(arg, token string) bool { return glob.IsToken(arg, token) }
