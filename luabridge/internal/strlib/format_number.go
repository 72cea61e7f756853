package strlib

import (
	"bytes"
	"math"
	"strconv"
)

// signed is %d and %i.
func (d *directive) signed(b []byte, i int64) []byte {
	if d.width == 0 && d.prec < 0 && !d.plus && !d.space {
		return strconv.AppendInt(b, i, 10)
	}
	u := uint64(i)
	if i < 0 {
		u = -u
	}
	var digits [24]byte
	return d.integer(b, d.sign(i < 0), strconv.AppendUint(digits[:0], u, 10), u == 0)
}

// unsigned is %u, %o, %x and %X.
func (d *directive) unsigned(b []byte, u uint64) []byte {
	var buf [24]byte
	switch d.verb {
	case 'o':
		digits := strconv.AppendUint(buf[:0], u, 8)
		if !d.alt {
			return d.integer(b, "", digits, u == 0)
		}
		prefix := "0"
		if u == 0 || d.prec > len(digits) { // there is a leading zero already
			prefix = ""
		}
		return d.padded(b, prefix, digits)
	case 'x', 'X':
		digits, prefix := strconv.AppendUint(buf[:0], u, 16), "0x"
		if d.verb == 'X' {
			digits, prefix = bytes.ToUpper(digits), "0X"
		}
		if !d.alt || u == 0 {
			prefix = ""
		}
		return d.integer(b, prefix, digits, u == 0)
	}
	return d.integer(b, "", strconv.AppendUint(buf[:0], u, 10), u == 0)
}

func (d *directive) sign(negative bool) string {
	switch {
	case negative:
		return "-"
	case d.plus:
		return "+"
	case d.space:
		return " "
	}
	return ""
}

// integer appends the digits of an integer. With a precision of 0, a zero has no digits.
func (d *directive) integer(b []byte, prefix string, digits []byte, isZero bool) []byte {
	if isZero && d.prec == 0 {
		digits = digits[:0]
	}
	return d.padded(b, prefix, digits)
}

// padded appends an integer with zeros up to its precision. With a precision the flag 0 has no
// effect.
func (d *directive) padded(b []byte, prefix string, digits []byte) []byte {
	return d.number(b, prefix, max(d.prec-len(digits), 0), digits, d.zero && d.prec < 0)
}

// number appends prefix, zeros and digits in the field's width. fill reports whether it is filled
// with zeros.
func (d *directive) number(b []byte, prefix string, zeros int, digits []byte, fill bool) []byte {
	room := d.width - len(prefix) - zeros - len(digits)
	switch {
	case d.minus:
		b = append(b, prefix...)
		b = appendFill(b, '0', zeros)
		b = append(b, digits...)
		return appendFill(b, ' ', room)
	case fill:
		b = append(b, prefix...)
		b = appendFill(b, '0', zeros+max(room, 0))
		return append(b, digits...)
	}
	b = appendFill(b, ' ', room)
	b = append(b, prefix...)
	b = appendFill(b, '0', zeros)
	return append(b, digits...)
}

// maxFloat is enough for the digits of the largest number with the highest precision.
const maxFloat = 512

// float is %e, %E, %f, %g and %G.
func (d *directive) float(b []byte, f float64) []byte {
	sign := d.sign(math.Signbit(f))
	capital := d.verb == 'E' || d.verb == 'G'
	if math.IsInf(f, 0) || math.IsNaN(f) {
		text := "inf"
		if math.IsNaN(f) {
			text = "nan"
		}
		digits := []byte(text)
		if capital {
			digits = bytes.ToUpper(digits)
		}
		return d.number(b, sign, 0, digits, false)
	}
	prec := d.prec
	if prec < 0 {
		prec = 6
	}
	var buf [maxFloat]byte
	digits := buf[:0]
	f = math.Abs(f)
	switch d.verb {
	case 'f', 'e', 'E':
		digits = strconv.AppendFloat(digits, f, d.verb|0x20, prec, 64)
		if d.alt && prec == 0 {
			digits = withPoint(digits)
		}
	default:
		digits = appendGeneral(digits, f, prec, d.alt)
	}
	if capital {
		if i := bytes.IndexByte(digits, 'e'); i >= 0 {
			digits[i] = 'E'
		}
	}
	return d.number(b, sign, 0, digits, d.zero)
}

// appendGeneral is %g of a number that is not negative. alt keeps the zeros at the end, and the
// point.
func appendGeneral(b []byte, f float64, prec int, alt bool) []byte {
	if !alt {
		return strconv.AppendFloat(b, f, 'g', prec, 64)
	}
	prec = max(prec, 1)
	var buf [maxFloat]byte
	scientific := strconv.AppendFloat(buf[:0], f, 'e', prec-1, 64)
	e := bytes.IndexByte(scientific, 'e')
	exponent, _ := strconv.Atoi(string(scientific[e+1:]))
	switch {
	case exponent == prec && f < math.Pow10(prec):
		// Rounding has made one digit more than the precision. glibc omits the zeros then.
		return append(append(b, "1."...), scientific[e:]...)
	case exponent < -4 || exponent >= prec:
		return withPoint(append(b, scientific...))
	}
	return withPoint(strconv.AppendFloat(b, f, 'f', prec-1-exponent, 64))
}

// withPoint adds a point after the digits of a number that has none.
func withPoint(b []byte) []byte {
	if bytes.IndexByte(b, '.') >= 0 {
		return b
	}
	i := bytes.IndexByte(b, 'e')
	if i < 0 {
		return append(b, '.')
	}
	b = append(b, 0)
	copy(b[i+1:], b[i:])
	b[i] = '.'
	return b
}
