package numbers

import (
	"math"
	"math/bits"
	"strconv"
)

// Redis writes floats by the algorithm Grisu2 since 7.2: Florian Loitsch, "Printing Floating-Point
// Numbers Quickly and Accurately with Integers", 2010. It finds digits that no other float has. In
// most cases, but not always, these are the fewest digits, and the nearest to the float.

// AppendShort appends f as Redis writes it since 7.2: whole numbers up to 2^62 with all digits,
// others with few. NaN has no sign.
func AppendShort(b []byte, f float64) []byte {
	switch {
	case f == 0:
		if math.Signbit(f) {
			b = append(b, '-')
		}
		return append(b, '0')
	case f != f:
		return append(b, "nan"...)
	}
	if n, ok := whole(f); ok {
		return strconv.AppendInt(b, n, 10)
	}
	return appendGrisu(b, f)
}

// AppendShortDouble is [AppendShort], but large whole numbers have an exponent, as others: Redis
// writes the scores of large sorted sets so.
func AppendShortDouble(b []byte, f float64) []byte {
	if f == 0 || f != f {
		return AppendShort(b, f)
	}
	return appendGrisu(b, f)
}

// appendGrisu appends a float that is neither 0 nor NaN.
func appendGrisu(b []byte, f float64) []byte {
	negative := f < 0
	if negative {
		b, f = append(b, '-'), -f
	}
	if math.IsInf(f, 1) {
		return append(b, "inf"...)
	}
	var room [20]byte
	digits, k := grisu(room[:0], f)
	return appendDigits(b, digits, k)
}

// AppendShortArgument appends f as Redis writes numbers of Lua into commands since 7.2: as
// [AppendShort], but 0 has no sign, and NaN has one.
func AppendShortArgument(b []byte, f float64) []byte {
	switch {
	case f == 0:
		return append(b, '0')
	case f != f && math.Signbit(f):
		return append(b, "-nan"...)
	}
	return AppendShort(b, f)
}

// whole returns the integer as which Redis writes f, if it is one that is not above 2^62.
func whole(f float64) (n int64, ok bool) {
	const limit = 1 << 62
	n = int64(f)
	return n, f >= -limit && f <= limit && float64(n) == f
}

// appendDigits appends digits * 10^k. It chooses one of three forms: without a point, with one, or
// with an exponent.
func appendDigits(b, digits []byte, k int) []byte {
	n := len(digits)
	exponent := k + n - 1 // of the first digit
	distance := max(exponent, -exponent)
	switch {
	case k >= 0 && distance < n+7:
		b = append(b, digits...)
		return appendZeros(b, k)
	case k < 0 && (k > -7 || distance < 4):
		if point := n + k; point > 0 {
			b = append(b, digits[:point]...)
			return append(append(b, '.'), digits[point:]...)
		}
		b = appendZeros(append(b, '0', '.'), -n-k)
		return append(b, digits...)
	}
	b = append(b, digits[0])
	if n > 1 {
		b = append(append(b, '.'), digits[1:]...)
	}
	b = append(b, 'e')
	if exponent >= 0 {
		b = append(b, '+')
	}
	return strconv.AppendInt(b, int64(exponent), 10)
}

func appendZeros(b []byte, n int) []byte {
	for range n {
		b = append(b, '0')
	}
	return b
}

// scaled is fraction * 2^exponent.
type scaled struct {
	fraction uint64
	exponent int
}

// normalized returns the same number with the highest bit of its fraction set.
func (x scaled) normalized() scaled {
	shift := bits.LeadingZeros64(x.fraction)
	return scaled{x.fraction << shift, x.exponent - shift}
}

// times returns the product, rounded to 64 bits.
func (x scaled) times(y scaled) scaled {
	high, low := bits.Mul64(x.fraction, y.fraction)
	return scaled{high + low>>63, x.exponent + y.exponent + 64}
}

// grisu returns digits and k, so that digits * 10^k is f and no other float. f is finite and
// positive.
func grisu(digits []byte, f float64) ([]byte, int) {
	const hidden = 1 << 52
	w := scaled{math.Float64bits(f) & (hidden - 1), int(math.Float64bits(f) >> 52)}
	if w.exponent > 0 {
		w.fraction |= hidden
	} else {
		w.exponent = 1 // a subnormal
	}
	w.exponent -= 1023 + 52

	// All numbers between the ends belong to f. The next float below is nearer if f is a power of 2.
	upper := scaled{w.fraction<<1 + 1, w.exponent - 1}.normalized()
	below := uint(1)
	if w.fraction == hidden {
		below = 2
	}
	lower := scaled{w.fraction<<below - 1, w.exponent - int(below)}
	lower = scaled{lower.fraction << (lower.exponent - upper.exponent), upper.exponent}

	power, k := tenPowerFor(upper.exponent)
	w, upper, lower = w.normalized().times(power), upper.times(power), lower.times(power)
	lower.fraction++ // the products may be off by one
	upper.fraction--
	digits, kappa := upper.digits(digits, upper.fraction-lower.fraction, upper.fraction-w.fraction)
	return digits, kappa - k
}

// tenPowerFor returns a power of 10 whose product with a fraction and that exponent has an exponent
// from -60 to -32.
func tenPowerFor(exponent int) (power scaled, k int) {
	const lowest, step = -348, 8
	i := (int(-float64(exponent+len(tenPowers))*math.Log10(2)) - lowest) / step
	for {
		switch product := exponent + tenPowers[i].exponent + 64; {
		case product < -60:
			i++
		case product > -32:
			i--
		default:
			return scaled(tenPowers[i]), lowest + i*step
		}
	}
}

// digits appends the digits of x until the rest is within delta, and then moves the last digit
// towards the number that is distance below x. The digits are to be multiplied by 10^kappa.
func (x scaled) digits(digits []byte, delta, distance uint64) (_ []byte, kappa int) {
	shift := uint(-x.exponent)
	one := uint64(1) << shift
	before, after := x.fraction>>shift, x.fraction&(one-1) // the point
	kappa = 10
	for unit := uint64(1_000_000_000); unit > 0; unit /= 10 {
		if d := before / unit; d > 0 || len(digits) > 0 {
			digits = append(digits, '0'+byte(d))
		}
		before %= unit
		kappa--
		if rest := before<<shift + after; rest <= delta {
			approach(digits, delta, rest, unit<<shift, distance)
			return digits, kappa
		}
	}
	for scale := uint64(10); ; scale *= 10 {
		after *= 10
		delta *= 10
		kappa--
		if d := after >> shift; d > 0 || len(digits) > 0 {
			digits = append(digits, '0'+byte(d))
		}
		after &= one - 1
		if after < delta {
			approach(digits, delta, after, one, distance*scale)
			return digits, kappa
		}
	}
}

// approach lowers the last digit while that brings the number nearer to its goal, within delta.
func approach(digits []byte, delta, rest, unit, distance uint64) {
	for rest < distance && delta-rest >= unit && (rest+unit < distance || distance-rest > rest+unit-distance) {
		digits[len(digits)-1]--
		rest += unit
	}
}
