package numbers

import (
	"math"
	"math/bits"
)

// Sine and cosine use the method of glibc, which is IBM's: the argument is reduced to a + da with
// |a| <= pi/4, looked up at the nearest multiple of 1/128, and corrected by polynomials. Operations
// are fused where glibc's compiler fuses them.

const (
	halfPi     = 0x1.921fb54442d18p+0
	halfPiTail = 0x1.1a62633145c07p-54

	taylor1 = -0x1.5555555555555p-3
	taylor2 = 0x1.1111111110ecep-7
	taylor3 = -0x1.a01a019db08b8p-13
	taylor4 = 0x1.71de27b9a7ed9p-19
	taylor5 = -0x1.addffc2fcdf59p-26

	sin3 = -1.66666666666664880952546298448555e-01
	sin5 = 8.33333214285722277379541354343671e-03
	cos2 = 4.99999999999999999999950396842453e-01
	cos4 = -4.16666666666664434524222570944589e-02
	cos6 = 1.38888874007937613028114285595617e-03
)

// Bounds of the upper half of |x|'s bits.
const (
	sinTiny   = 0x3e500000 // 2^-26
	cosTiny   = 0x3e400000 // 2^-27
	directEnd = 0x3feb6000 // 0.855469
	halfPiEnd = 0x400368fd // 2.426265
	mediumEnd = 0x419921fb // 105414350
	finiteEnd = 0x7ff00000
	// adding it rounds to a multiple of 1/128 and puts the factor into the low bits
	tableScale = 0x1.8p45
)

func highAbs(x float64) uint32 { return uint32(math.Float64bits(x)>>32) & 0x7fffffff }

// Sin is C's sin.
func Sin(x float64) float64 {
	switch k := highAbs(x); {
	case k < sinTiny:
		return x
	case k < directEnd:
		return sinNear(x, 0)
	case k < halfPiEnd:
		return math.Copysign(cosNear(halfPi-math.Abs(x), halfPiTail), x)
	case k < finiteEnd:
		a, da, n := reduce(x)
		return sinQuadrant(a, da, n)
	}
	return notFinite(x)
}

// Cos is C's cos.
func Cos(x float64) float64 {
	switch k := highAbs(x); {
	case k < cosTiny:
		return 1
	case k < directEnd:
		return cosNear(x, 0)
	case k < halfPiEnd:
		y := halfPi - math.Abs(x)
		a := y + halfPiTail
		return sinNear(a, y-a+halfPiTail)
	case k < finiteEnd:
		a, da, n := reduce(x)
		return sinQuadrant(a, da, n+1)
	}
	return notFinite(x)
}

// notFinite returns the result of a function without a limit at infinity for inf and nan.
func notFinite(x float64) float64 {
	if math.IsInf(x, 0) {
		return nan()
	}
	return x
}

// sinQuadrant is sin(a + da + n*pi/2).
func sinQuadrant(a, da float64, n int) float64 {
	var y float64
	if n&1 != 0 {
		y = cosNear(a, da)
	} else {
		y = sinNear(a, da)
	}
	if n&2 != 0 {
		return -y
	}
	return y
}

// sinNear is sin(x+dx) for |x| < 0.8555.
func sinNear(x, dx float64) float64 {
	if math.Abs(x) < 0.126 {
		return sinTaylor(x, dx)
	}
	if x <= 0 {
		dx = -dx
	}
	u := tableScale + math.Abs(x)
	t := &sines[uint32(math.Float64bits(u))]
	r := math.Abs(x) - (u - tableScale)
	r2 := float64(r * r)
	s := r + math.FMA(r*r2, math.FMA(r2, sin5, sin3), dx)
	c := math.FMA(r, dx, r2*math.FMA(r2, math.FMA(r2, cos6, cos4), cos2))
	rest := math.FMA(-t.sin, c, math.FMA(s, t.cosTail, t.sinTail))
	rest = math.FMA(t.cos, s, rest)
	return math.Copysign(t.sin+rest, x)
}

func sinTaylor(x, dx float64) float64 {
	x2 := float64(x * x)
	p := math.FMA(math.FMA(math.FMA(math.FMA(taylor5, x2, taylor4), x2, taylor3), x2, taylor2), x2, taylor1)
	return x + math.FMA(math.FMA(p, x, -0.5*dx), x2, dx)
}

// cosNear is cos(x+dx) for |x| < 0.8555.
func cosNear(x, dx float64) float64 {
	if x < 0 {
		dx = -dx
	}
	u := tableScale + math.Abs(x)
	t := &sines[uint32(math.Float64bits(u))]
	r := math.Abs(x) - (u - tableScale) + dx
	r2 := float64(r * r)
	s := math.FMA(r*r2, math.FMA(r2, sin5, sin3), r)
	c := float64(r2 * math.FMA(r2, math.FMA(r2, cos6, cos4), cos2))
	rest := math.FMA(-t.cos, c, math.FMA(-s, t.sinTail, t.cosTail))
	rest = math.FMA(-t.sin, s, rest)
	return t.cos + rest
}

// reduce returns x = a + da + n*pi/2 with n modulo 4.
func reduce(x float64) (a, da float64, n int) {
	if highAbs(x) >= mediumEnd {
		return reduceLarge(x)
	}
	const (
		twoByPi = 0x1.45f306dc9c883p-1
		part1   = 0x1.921fb58p+0 // pi/2 in pieces, the first ones short
		part2   = -0x1.dde973cp-27
		part3   = -0x1.cb3b398p-55
		part4   = -0x1.d747f23e32ed7p-83
	)
	t := math.FMA(x, twoByPi, toInt)
	xn := t - toInt
	y := math.FMA(-xn, part2, math.FMA(-xn, part1, x))
	t2 := math.FMA(-xn, part3, y)
	da = math.FMA(-xn, part3, y-t2)
	a = math.FMA(-xn, part4, t2)
	da += math.FMA(-xn, part4, t2-a)
	return a, da, int(math.Float64bits(t) & 3)
}

// reduceLarge is reduce for |x| >= 2^26: it multiplies by the relevant bits of 2/pi.
func reduceLarge(x float64) (a, da float64, n int) {
	b := math.Float64bits(x)
	exp := int(b>>52&0x7ff) - 1075
	m := b&(1<<52-1) | 1<<52 // |x| = m * 2^exp
	first := max(exp-2, 0)   // the bits of 2/pi before this one make multiples of 4
	point := first + 256 - exp
	var product [5]uint64 // m times 256 bits of 2/pi, the lowest word last
	carry := uint64(0)
	for i := 3; i >= 0; i-- {
		at := first/64 + i
		w := twoOverPi[at] << (first % 64)
		w |= twoOverPi[at+1] >> (64 - first%64)
		hi, lo := bits.Mul64(m, w)
		var c uint64
		product[i+1], c = bits.Add64(lo, carry, 0)
		carry = hi + c
	}
	product[0] = carry
	frac := shiftLeft(product, 320-point-2) // the two bits before the point come to the top
	n = int(frac[0] >> 62)
	frac = shiftLeft(frac, 2)
	negative := frac[0]>>63 != 0
	if negative { // round to nearest
		n++
		frac = negate(frac)
	}
	zeros := bits.LeadingZeros64(frac[0]) // no float is nearer to a multiple of pi/2 than 2^-62
	frac = shiftLeft(frac, zeros)
	f1 := math.Ldexp(float64(frac[0]>>11), -53-zeros)
	f2 := math.Ldexp(float64(frac[0]&(1<<11-1)<<42|frac[1]>>22), -106-zeros)
	a = f1 * halfPi
	tail := math.FMA(f1, halfPi, -a) + float64(f1*halfPiTail) + float64(f2*halfPi)
	sum := a + tail
	da = a - sum + tail
	a = sum
	if negative {
		a, da = -a, -da
	}
	if math.Signbit(x) {
		return -a, -da, -n & 3
	}
	return a, da, n & 3
}

func shiftLeft(w [5]uint64, n int) [5]uint64 {
	var out [5]uint64
	for i := range w {
		if j := i + n/64; j < len(w) {
			out[i] = w[j] << (n % 64)
			if j+1 < len(w) {
				out[i] |= w[j+1] >> (64 - n%64)
			}
		}
	}
	return out
}

func negate(w [5]uint64) [5]uint64 {
	borrow := uint64(0)
	for i := len(w) - 1; i >= 0; i-- {
		w[i], borrow = bits.Sub64(0, w[i], borrow)
	}
	return w
}
