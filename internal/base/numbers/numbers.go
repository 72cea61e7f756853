package numbers

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// Append appends f as C's "%.<prec>g". Integers that fit into prec digits are formatted as
// integers, which is faster.
func Append(b []byte, f float64, prec int) []byte {
	limit := int64(1e14)
	if prec >= 17 {
		limit = 1e17
	}
	if i := int64(f); prec >= 14 && float64(i) == f && i < limit && i > -limit && (i != 0 || !math.Signbit(f)) {
		return strconv.AppendInt(b, i, 10)
	}
	switch {
	case math.IsInf(f, 1):
		return append(b, "inf"...)
	case math.IsInf(f, -1):
		return append(b, "-inf"...)
	case math.IsNaN(f):
		if math.Signbit(f) {
			return append(b, "-nan"...)
		}
		return append(b, "nan"...)
	}
	return strconv.AppendFloat(b, f, 'g', prec, 64)
}

// Text returns f as Lua's tostring and .. show it.
func Text(f float64) string {
	if i := int64(f); float64(i) == f && i < 1e14 && i > -1e14 && (i != 0 || !math.Signbit(f)) {
		return strconv.FormatInt(i, 10) // does not allocate below 100
	}
	var b [32]byte
	return string(Append(b[:0], f, 14))
}

// Parse parses a whole string as a number as Lua does, by strtod: with white space around it,
// hexadecimal integers and floats, inf and nan. It reports whether s is a number.
func Parse(s string) (float64, bool) {
	if f, ok := parseShort(s); ok {
		return f, true
	}
	if i := strings.IndexByte(s, 0); i >= 0 {
		s = s[:i]
	}
	s = strings.Trim(s, " \t\n\v\f\r")
	f, n := Prefix(s)
	return f, n > 0 && n == len(s)
}

// parseShort parses at most 18 decimal digits, the most common case.
func parseShort(s string) (float64, bool) {
	if len(s) == 0 || len(s) > 18 {
		return 0, false
	}
	n := int64(0)
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int64(s[i]-'0')
	}
	return float64(n), true
}

// Prefix parses the longest number at the start of s as strtod does, without leading white space.
// It returns the number and its length in bytes, 0 if there is none.
func Prefix(s string) (float64, int) {
	i := 0
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	negative := i > 0 && s[0] == '-'
	rest := s[i:]
	switch {
	case hasFold(rest, "infinity"):
		return signed(math.Inf(1), negative), i + 8
	case hasFold(rest, "inf"):
		return signed(math.Inf(1), negative), i + 3
	case hasFold(rest, "nan"):
		f, n := nanPrefix(rest)
		return signed(f, negative), i + n
	case hasFold(rest, "0x"):
		if f, n := hexPrefix(rest[2:]); n > 0 {
			return signed(f, negative), i + 2 + n
		}
	}
	n := decimalLen(rest)
	if n == 0 {
		return 0, 0
	}
	f, _ := strconv.ParseFloat(s[:i+n], 64) // out of range gives ±Inf, as strtod
	return f, i + n
}

// nanPrefix parses nan, or nan(digits, letters and underscores). If the text in parentheses is a
// number for C's strtoull, it becomes the lower bits of the NaN; otherwise these are 0. They are
// not 0 in the NaN of package math, and the bit library would show them.
func nanPrefix(s string) (float64, int) {
	const quiet, payload = 0x7ff8 << 48, 1<<51 - 1
	n := len("nan")
	if n == len(s) || s[n] != '(' {
		return math.Float64frombits(quiet), n
	}
	end := n + 1
	for end < len(s) && (isHex(s[end]) || s[end]|0x20 >= 'g' && s[end]|0x20 <= 'z' || s[end] == '_') {
		end++
	}
	if end == len(s) || s[end] != ')' {
		return math.Float64frombits(quiet), n
	}
	return math.Float64frombits(quiet | unsigned(s[n+1:end])&payload), end + 1
}

// unsigned parses a whole string as strtoull does, in base 8, 10 or 16; 0 if it is not a number.
func unsigned(s string) uint64 {
	base := 10
	switch {
	case hasFold(s, "0x"):
		s, base = s[2:], 16
	case hasFold(s, "0"):
		base = 8
	}
	v, err := strconv.ParseUint(s, base, 64)
	if errors.Is(err, strconv.ErrRange) {
		return math.MaxUint64
	}
	return v
}

func signed(f float64, negative bool) float64 {
	if negative {
		return math.Copysign(f, -1)
	}
	return math.Copysign(f, 1)
}

func hasFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// decimalLen returns the length of the decimal floating-point number at the start of s.
func decimalLen(s string) int {
	whole := digits(s)
	n, frac := whole, 0
	if n < len(s) && s[n] == '.' {
		frac = digits(s[n+1:])
		n += 1 + frac
	}
	if whole+frac == 0 {
		return 0
	}
	return n + exponentLen(s[n:], "e")
}

// exponentLen returns the length of an exponent at the start of s, 0 if it has no digits.
func exponentLen(s, letter string) int {
	if !hasFold(s, letter) {
		return 0
	}
	n := 1
	if n < len(s) && (s[n] == '-' || s[n] == '+') {
		n++
	}
	if d := digits(s[n:]); d > 0 {
		return n + d
	}
	return 0
}

func hexLen(s string) int {
	n := 0
	for n < len(s) && isHex(s[n]) {
		n++
	}
	return n
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func hexPrefix(s string) (float64, int) {
	whole := hexLen(s)
	n, frac := whole, 0
	if n < len(s) && s[n] == '.' {
		frac = hexLen(s[n+1:])
		n += 1 + frac
	}
	if whole+frac == 0 {
		return 0, 0
	}
	e := exponentLen(s[n:], "p")
	text := "0x" + s[:n]
	if e > 0 {
		text += s[n : n+e]
	} else {
		text += "p0"
	}
	f, _ := strconv.ParseFloat(text, 64)
	return f, n + e
}
