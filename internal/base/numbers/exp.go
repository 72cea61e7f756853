package numbers

import "math"

// Exp is C's exp.
func Exp(x float64) float64 {
	abstop := top(x) & 0x7ff
	special := false
	if abstop-0x3c9 >= 0x408-0x3c9 { // tiny, large, inf or nan
		switch {
		case abstop < 0x3c9:
			return 1 + x
		case abstop == 0x7ff:
			if math.IsInf(x, -1) {
				return 0
			}
			return 1 + x
		case abstop >= 0x409 && math.Signbit(x):
			return 0
		case abstop >= 0x409:
			return math.Inf(1)
		}
		special = true
	}
	return expScaled(x, 0, 0, special)
}

// expm1 is e^x - 1, by the method of Sun's fdlibm: the argument is reduced to |r| <= ln2/2, where a
// rational function is precise enough. The conversions prevent the compiler from fusing operations
// that fdlibm does not fuse.
func expm1(x float64) float64 {
	const (
		huge  = 0x1.62e42fefa39efp+9 // more than this overflows
		ln2hi = 0x1.62e42feep-1
		ln2lo = 0x1.a39ef35793c76p-33
		q1    = -0x1.11111111110f4p-5
		q2    = 0x1.a01a019fe5585p-10
		q3    = -0x1.4ce199eaadbb7p-14
		q4    = 0x1.0cfca86e65239p-18
		q5    = -0x1.afdb76e09c32dp-23
	)
	abs := math.Abs(x)
	high := uint32(math.Float64bits(abs) >> 32)
	negative := math.Signbit(x)
	switch {
	case x != x:
		return x
	case high >= 0x4043687a: // at least 56 ln2
		switch {
		case math.IsInf(x, 1) || x > huge:
			return math.Inf(1)
		case negative:
			return -1
		}
	case high < 0x3c900000:
		return x
	}
	k, c := 0, 0.0
	if high > 0x3fd62e42 {
		var hi, lo float64
		switch {
		case high < 0x3ff0a2b2 && !negative:
			hi, lo, k = x-ln2hi, ln2lo, 1
		case high < 0x3ff0a2b2:
			hi, lo, k = x+ln2hi, -ln2lo, -1
		default:
			k = int(math.FMA(math.Log2E, x, math.Copysign(0.5, x)))
			t := float64(k)
			hi, lo = x-float64(t*ln2hi), float64(t*ln2lo)
		}
		x = hi - lo
		c = hi - x - lo
	}
	half := 0.5 * x
	hxs := float64(x * half)
	h2 := float64(hxs * hxs)
	r := math.FMA(h2, math.FMA(hxs, q3, q2), math.FMA(hxs, q1, 1))
	r = math.FMA(h2*h2, math.FMA(hxs, q5, q4), r)
	t := math.FMA(-r, half, 3)
	e := hxs * ((r - t) / math.FMA(-x, t, 6))
	if k == 0 {
		return x - math.FMA(x, e, -hxs)
	}
	e = math.FMA(x, e-c, -c)
	e -= hxs
	switch {
	case k == -1:
		return 0.5*(x-e) - 0.5
	case k == 1 && x < -0.25:
		return -2 * (e - (x + 0.5))
	case k == 1:
		return 1 + float64(2*(x-e))
	case k <= -2 || k > 56:
		return scale(1-(e-x), k) - 1
	case k < 20:
		t := math.Float64frombits((0x3ff00000 - 0x200000>>k) << 32) // 1 - 2^-k
		return scale(t-(e-x), k)
	}
	t = math.Float64frombits(uint64(0x3ff-k) << 52) // 2^-k
	return scale(x-(e+t)+1, k)
}

// scale adds k to the exponent.
func scale(y float64, k int) float64 {
	return math.Float64frombits(math.Float64bits(y) + uint64(k)<<52)
}

// Sinh is C's sinh.
func Sinh(x float64) float64 {
	abs := math.Abs(x)
	if math.IsInf(x, 0) || x != x {
		return x + x
	}
	high := uint32(math.Float64bits(abs) >> 32)
	half := math.Copysign(0.5, x)
	switch {
	case high < 0x3e300000: // under 2^-28
		return x
	case high < 0x3ff00000:
		t := expm1(abs)
		return half * (float64(2*t) - float64(t*t)/(t+1))
	case high < 0x40360000:
		t := expm1(abs)
		return half * (t + t/(t+1))
	case high < 0x40862e42:
		return half * Exp(abs)
	case abs <= maxHyperbolic:
		w := Exp(0.5 * abs)
		return half * w * w
	}
	return math.Copysign(math.Inf(1), x)
}

// maxHyperbolic is the largest argument whose sinh and cosh are finite.
const maxHyperbolic = 0x1.633ce8fb9f87dp+9

// Cosh is C's cosh.
func Cosh(x float64) float64 {
	abs := math.Abs(x)
	high := uint32(math.Float64bits(abs) >> 32)
	switch {
	case high < 0x3fd62e43: // under ln2/2
		if high < 0x3c800000 {
			return 1
		}
		t := expm1(abs)
		w := 1 + t
		return 1 + float64(t*t)/(w+w)
	case high < 0x40360000:
		t := Exp(abs)
		return float64(0.5*t) + 0.5/t
	case high < 0x40862e42:
		return 0.5 * Exp(abs)
	case abs <= maxHyperbolic:
		w := Exp(0.5 * abs)
		return 0.5 * w * w
	case x != x:
		return x * x
	}
	return math.Inf(1)
}

// Tanh is C's tanh.
func Tanh(x float64) float64 {
	abs := math.Abs(x)
	high := uint32(math.Float64bits(abs) >> 32)
	var z float64
	switch {
	case x != x:
		return x
	case x == 0 || high < 0x3c800000: // under 2^-55
		return x
	case high >= 0x40360000:
		z = 1
	case high >= 0x3ff00000:
		t := expm1(2 * abs)
		z = 1 - 2/(t+2)
	default:
		t := expm1(-2 * abs)
		z = -t / (t + 2)
	}
	return math.Copysign(z, x)
}
