package reply

import (
	"math"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/numbers"
)

// FormatDouble returns f as Redis 7.0 writes doubles in replies: C's "%.17g", with inf, -inf, nan
// and -nan.
func FormatDouble(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	case math.IsNaN(f):
		if math.Signbit(f) { // the result of 0/0 on amd64
			return "-nan"
		}
		return "nan"
	}
	if f == math.Trunc(f) && math.Abs(f) < 1e15 {
		if f == 0 && math.Signbit(f) {
			return "-0"
		}
		return strconv.FormatInt(int64(f), 10)
	}
	return FormatG(f, 17)
}

// FormatShort returns f as Redis writes doubles in replies since 7.2: with few digits, as in 0.1
// and 1e-7. NaN has no sign.
func FormatShort(f float64) string {
	var room [32]byte
	return string(numbers.AppendShort(room[:0], f))
}

// FormatDecimal returns a finite f with at most 17 decimals, as Redis writes coordinates: C's
// "%.17f" without trailing zeros.
func FormatDecimal(f float64) string {
	if s := trimZeros(strconv.FormatFloat(f, 'f', 17, 64)); s != "-0" {
		return s
	}
	return "0"
}

// FormatG returns a finite f as C's "%.<prec>g": prec significant digits without trailing zeros, an
// exponent of at least two digits.
func FormatG(f float64, prec int) string {
	if f == 0 {
		if math.Signbit(f) {
			return "-0"
		}
		return "0"
	}
	s := strconv.FormatFloat(f, 'e', prec-1, 64)
	mant, exp, _ := strings.Cut(s, "e")
	x, _ := strconv.Atoi(exp)
	if x < -4 || x >= prec {
		mant = trimZeros(mant)
		sign := "+"
		if x < 0 {
			sign, x = "-", -x
		}
		e := strconv.Itoa(x)
		if len(e) < 2 {
			e = "0" + e
		}
		return mant + "e" + sign + e
	}
	return trimZeros(strconv.FormatFloat(f, 'f', prec-1-x, 64))
}

func trimZeros(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}
