package numbers

import "math"

// The inverse sine and cosine use the method of glibc, which is IBM's: a polynomial around the
// middle of the interval that contains |x|, and near 1 the half-angle formula.

// Asin is C's asin.
func Asin(x float64) float64 {
	k := highAbs(x)
	abs := math.Abs(x)
	switch {
	case x != x:
		return x
	case k < 0x3e500000: // under 2^-26
		return x
	case k < 0x3fc00000: // under 0.125
		x2 := float64(x * x)
		return math.FMA(asinSeries(x2), x2*x, x)
	case k < 0x3fef0000: // under 0.96875
		hi, t := asinPart(abs, k)
		return math.Copysign(hi+t, x)
	case abs < 1:
		z := 0.5 * (1 - abs)
		root := math.Sqrt(z)
		y := root + 0x1.8p24 - 0x1.8p24
		rest := math.FMA(-y, y, z) / (root + y)
		p := asinSeries(z) * z
		correction := math.FMA(-2*(y+rest), p, halfPiTail-2*rest)
		return math.Copysign(halfPi-2*y+correction, x)
	case abs == 1:
		return math.Copysign(halfPi, x)
	}
	return quietNaN()
}

// Acos is C's acos.
func Acos(x float64) float64 {
	k := highAbs(x)
	switch {
	case x != x:
		return x
	case k < 0x3c880000: // under 2.8e-17
		return halfPi
	case k < 0x3fc00000:
		x2 := float64(x * x)
		r := halfPi - x
		return r + math.FMA(-asinSeries(x2), x2*x, halfPi-r-x+halfPiTail)
	case k < 0x3fef0000:
		hi, t := asinPart(math.Abs(x), k)
		if x > 0 {
			return halfPi - hi + (halfPiTail - t)
		}
		return halfPi + hi + (halfPiTail + t)
	case math.Abs(x) < 1:
		return acosNear1(x)
	case x == 1:
		return 0
	case x == -1:
		return math.Pi
	}
	return quietNaN()
}

// acosNear1 is acos x for |x| from 0.96875 to 1.
func acosNear1(x float64) float64 {
	z := 0.5 * (1 - math.Abs(x))
	root := math.Sqrt(z)
	y := float64(0x1p27*root) + root - float64(0x1p27*root)
	rest := math.FMA(-y, y, z) / (root + y)
	series := float64(asinSeries(z) * z * (y + rest))
	if x < 0 {
		return 2 * (halfPi - y + (halfPiTail - rest - series))
	}
	return 2 * (y + (rest + series))
}

// asinSeries is (asin(x)/x - 1) / x² for x2 = x².
func asinSeries(x2 float64) float64 {
	const (
		f1 = 0x1.55555555554f9p-3
		f2 = 0x1.333333336127dp-4
		f3 = 0x1.6db6dae42c0e4p-5
		f4 = 0x1.f1c7e04f4ad99p-6
		f5 = 0x1.6e442c822d419p-6
		f6 = 0x1.292d80f453c72p-6
	)
	return math.FMA(math.FMA(math.FMA(math.FMA(math.FMA(f6, x2, f5), x2, f4), x2, f3), x2, f2), x2, f1)
}

// asinPart is asin x for 0.125 <= x < 0.96875 as a float and a small correction; k is the upper
// half of the bits of x.
func asinPart(x float64, k uint32) (hi, correction float64) {
	i, degree := 0, 6
	switch {
	case k < 0x3fd00000:
		i = int((k & 0xfffff) >> 15)
	case k < 0x3fe00000:
		i = int((k&0xfffff)>>14) + 32
	default:
		i = int((k&0xfffff)>>13) + 96
		switch {
		case k < 0x3fe80000:
			degree = 7
		case k < 0x3fed8000:
			degree = 8
		case k < 0x3fee8000:
			degree = 9
		default:
			degree = 10
		}
	}
	t := &arcsines[i]
	r := x - t[0]
	p := t[2+degree]
	for n := degree - 1; n >= 2; n-- {
		p = math.FMA(r, p, t[2+n])
	}
	return t[1], math.FMA(t[3], r, math.FMA(r*r, p, t[2]))
}
