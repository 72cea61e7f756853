package numbers

import "math"

// These functions are computed with about 90 bits and rounded once. Those of glibc, which are not
// proven to round correctly, nearly always give the same float.

// Tan is C's tan.
func Tan(x float64) float64 {
	k := highAbs(x)
	switch {
	case k < 0x3e400000: // under 2^-27
		return x
	case k >= finiteEnd:
		return notFinite(x)
	}
	a, da, n := x, 0.0, 0
	if k >= directEnd {
		a, da, n = reduce(x)
	}
	negative := a < 0
	if negative {
		a, da = -a, -da
	}
	sin, cos := sinCos(quickSum(a, da))
	var q pair
	if n&1 == 0 {
		q = sin.over(cos)
	} else {
		q = cos.over(sin)
		negative = !negative
	}
	if negative {
		return -q.hi
	}
	return q.hi
}

// quietNaN is the NaN of functions that return a constant NaN.
func quietNaN() float64 { return math.Float64frombits(0x7ff8 << 48) }

// Atan is C's atan.
func Atan(x float64) float64 {
	abs := math.Abs(x)
	switch {
	case x != x || abs < 0x1p-27:
		return x
	case abs > 0x1p60:
		return math.Copysign(halfPi, x)
	}
	y := math.Atan(abs)
	s, c := sinCos(pair{y, 0})
	// tan(atan(x) - y) = (x*cos y - sin y) / (cos y + x*sin y)
	d := product(abs, c.hi)
	d.lo += abs * c.lo
	d = d.minus(s)
	return math.Copysign(y+d.hi/(c.hi+abs*s.hi), x)
}

// Atan2 is C's atan2: the angle of the point (x, y).
func Atan2(y, x float64) float64 {
	switch {
	case x != x:
		return x
	case y != y:
		return y
	case x == 0 || y == 0 || math.IsInf(x, 0) || math.IsInf(y, 0):
		return math.Atan2(y, x)
	}
	// The point is scaled so that no product overflows or loses bits.
	_, ex := math.Frexp(x)
	_, ey := math.Frexp(y)
	angle := math.Atan2(math.Abs(y), x)
	if ey-ex < -60 && x > 0 || ey-ex > 60 {
		return math.Copysign(angle, y)
	}
	e := max(ex, ey)
	u, v := math.Ldexp(x, -e), math.Ldexp(math.Abs(y), -e)
	s, c := sinCos(pair{angle, 0})
	d := c.times(pair{v, 0}).minus(s.times(pair{u, 0}))
	return math.Copysign(angle+d.hi/(c.hi*u+s.hi*v), y)
}
