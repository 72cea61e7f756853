package parse

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/glob"
)

// INCRBYFLOAT and HINCRBYFLOAT compute in C's long double, which on amd64 is the 80-bit extended
// format. A big.Float of 64 bits rounds exactly as it does; only the exponent's range has to be
// watched. Subnormal numbers (below 2^-16382) keep more bits here, which no text of 17 decimals
// shows.
const (
	LongDoubleBits   = 64
	longDoubleMaxExp = 16384  // of a mantissa in [0.5, 1)
	longDoubleMinExp = -16445 // likewise, of half the least subnormal, which rounds to zero
	longDoubleText   = 5 * 1024
)

// LongDouble reads a number as C's strtold does, without space around it. NaN, and a finite
// number that overflows or underflows to zero, are refused.
func LongDouble(s string) (*big.Float, bool) {
	if s == "" || len(s) >= longDoubleText {
		return nil, false
	}
	digits, neg := s, false
	if s[0] == '+' || s[0] == '-' {
		digits, neg = s[1:], s[0] == '-'
	}
	if IsToken(digits, "inf") && len(digits) == 3 || IsToken(digits, "infinity") && len(digits) == 8 {
		return new(big.Float).SetInf(neg), true
	}
	f, ok := parseExtended(digits)
	if ok && neg {
		f.Neg(f)
	}
	return f, ok
}

// parseExtended reads an unsigned decimal or hexadecimal number, correctly rounded.
func parseExtended(s string) (*big.Float, bool) {
	base, mark := 10, "eE"
	if len(s) > 2 && s[0] == '0' && glob.Lower(s[1]) == 'x' {
		base, mark, s = 16, "pP", s[2:]
	}
	exp := 0
	if i := strings.IndexAny(s, mark); i >= 0 {
		var ok bool
		if exp, ok = parseExponent(s[i+1:]); !ok {
			return nil, false
		}
		s = s[:i]
	}
	whole, frac, _ := strings.Cut(s, ".")
	if base == 10 && len(whole)+len(frac) <= 19 {
		if f, ok := smallDecimal(whole, frac, exp-len(frac)); ok {
			return f, true
		}
	}
	mant, ok := parseDigits(whole+frac, base)
	if !ok {
		return nil, false
	}
	f := new(big.Float).SetPrec(LongDoubleBits)
	if mant.Sign() == 0 {
		return f, true
	}
	if base == 16 {
		f.SetInt(mant)
		f.SetMantExp(f, exp-4*len(frac))
	} else if !setDecimal(f, mant, exp-len(frac)) {
		return nil, false
	}
	e := f.MantExp(nil)
	vanishes := e < longDoubleMinExp || e == longDoubleMinExp && f.MinPrec() == 1
	return f, e <= longDoubleMaxExp && !vanishes
}

// smallDecimal is the short way for numbers of at most 19 digits without a large exponent: both
// parts of the fraction are exact, so the one division rounds correctly.
func smallDecimal(whole, frac string, exp int) (*big.Float, bool) {
	if exp > 0 || exp < -19 {
		return nil, false
	}
	mant, ok := uint64(0), whole != "" || frac != ""
	for _, part := range [2]string{whole, frac} {
		for i := 0; i < len(part); i++ {
			ok = ok && '0' <= part[i] && part[i] <= '9'
			mant = mant*10 + uint64(part[i]-'0')
		}
	}
	if !ok {
		return nil, false
	}
	f := new(big.Float).SetUint64(mant)
	if exp == 0 {
		return f, true
	}
	pow := uint64(1)
	for ; exp < 0; exp++ {
		pow *= 10
	}
	return f.Quo(f, new(big.Float).SetUint64(pow)), true
}

// parseExponent reads a decimal exponent and limits it to a range beyond that of the numbers.
func parseExponent(s string) (int, bool) {
	d := s
	if d != "" && (d[0] == '+' || d[0] == '-') {
		d = d[1:]
	}
	if d == "" || strings.Trim(d, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	if err != nil || n > 1e6 || n < -1e6 {
		n = 1e6
		if s[0] == '-' {
			n = -n
		}
	}
	return n, true
}

func parseDigits(s string, base int) (*big.Int, bool) {
	if s == "" || s[0] == '+' || s[0] == '-' || strings.IndexByte(s, '_') >= 0 {
		return nil, false
	}
	return new(big.Int).SetString(s, base)
}

// setDecimal sets f to mant*10^exp, rounded once. It returns false where the number is far out of
// range.
func setDecimal(f *big.Float, mant *big.Int, exp int) bool {
	if size := exp + mant.BitLen()*30103/100000; size > 5000 || size < -5000 {
		return false
	}
	pow := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(exp, -exp))), nil)
	if exp >= 0 {
		f.SetInt(pow.Mul(pow, mant))
		return true
	}
	num, den := new(big.Float).SetInt(mant), new(big.Float).SetInt(pow)
	f.Quo(num, den)
	return true
}

// AddLongDouble returns a+b; ok is false when the sum is infinite or NaN.
func AddLongDouble(a, b *big.Float) (sum *big.Float, ok bool) {
	if a.IsInf() || b.IsInf() {
		return nil, false
	}
	sum = new(big.Float).SetPrec(LongDoubleBits).Add(a, b)
	return sum, sum.MantExp(nil) <= longDoubleMaxExp
}

// FormatLongDouble formats f with 17 decimals and without trailing zeros, as INCRBYFLOAT does.
func FormatLongDouble(f *big.Float) string {
	s := strings.TrimRight(f.Text('f', 17), "0")
	s = strings.TrimSuffix(s, ".")
	if s == "-0" {
		return "0"
	}
	return s
}
