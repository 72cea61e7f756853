package numbers

import "math"

// Log is C's log, by the algorithm of [Pow].
func Log(x float64) float64 {
	const (
		near1Low  = 0x3fee000000000000 // the bits of 1 - 0x1p-4
		near1High = 0x3ff1090000000000 // the bits of 1 + 0x1.09p-4
		start     = 0x3fe6000000000000

		a0 = -0x1.0000000000001p-1
		a1 = 0x1.555555551305bp-2
		a2 = -0x1.fffffffeb4590p-3
		a3 = 0x1.999b324f10111p-3
		a4 = -0x1.55575e506c89fp-3
	)
	ix := math.Float64bits(x)
	if ix-near1Low < near1High-near1Low {
		return logNear1(x)
	}
	if t := ix >> 48; t-0x0010 >= 0x7ff0-0x0010 {
		switch {
		case ix*2 == 0:
			return math.Inf(-1)
		case x != x || ix == infBits:
			return x
		case ix&signBit != 0:
			return nan()
		}
		ix = math.Float64bits(x*0x1p52) - 52<<52
	}
	tmp := ix - start
	t := &logs[tmp>>(52-tableBits)%tableSize]
	kd := float64(int64(tmp) >> 52)
	z := math.Float64frombits(ix - tmp&(0xfff<<52))
	r := math.FMA(z, t.invc, -1)
	w := math.FMA(kd, ln2Hi, t.logc)
	hi := w + r
	lo := math.FMA(kd, ln2Lo, w-hi+r)
	r2 := float64(r * r)
	y := math.FMA(r2, a0, lo)
	y = math.FMA(r*r2, math.FMA(r2, math.FMA(r, a4, a3), math.FMA(r, a2, a1)), y)
	return y + hi
}

// logNear1 is log x for x near 1.
func logNear1(x float64) float64 {
	const (
		b1  = 0x1.5555555555577p-2
		b2  = -0x1.ffffffffffdcbp-3
		b3  = 0x1.999999995dd0cp-3
		b4  = -0x1.55555556745a7p-3
		b5  = 0x1.24924a344de30p-3
		b6  = -0x1.fffffa4423d65p-4
		b7  = 0x1.c7184282ad6cap-4
		b8  = -0x1.999eb43b068ffp-4
		b9  = 0x1.78182f7afd085p-4
		b10 = -0x1.5521375d145cdp-4
	)
	if x == 1 {
		return 0
	}
	r := x - 1
	r2 := float64(r * r)
	r3 := float64(r * r2)
	p := math.FMA(r3, b10, math.FMA(r2, b9, math.FMA(r, b8, b7)))
	p = math.FMA(r3, p, math.FMA(r2, b6, math.FMA(r, b5, b4)))
	p = math.FMA(r3, p, math.FMA(r2, b3, math.FMA(r, b2, b1)))
	// r - r*r/2 as the sum hi + lo, with r split in two.
	w := float64(r * 0x1p27)
	rHi := r + w - w
	rLo := r - rHi
	half := float64(rHi*rHi) * -0.5
	hi := r + half
	lo := r - hi + half
	lo = math.FMA(-0.5*rLo, rHi+r, lo)
	return math.FMA(r3, p, lo) + hi
}

// Log10 is C's log10, by the formula of Sun's fdlibm.
func Log10(x float64) float64 {
	const (
		ivln10   = 0x1.bcb7b1526e50ep-2
		log10Of2 = 0x1.34413509f6p-2
		rest     = 0x1.9fef311f12b36p-42
	)
	switch {
	case x == 0:
		return math.Inf(-1)
	case x < 0:
		return -nan()
	case x != x || math.IsInf(x, 1):
		return x
	}
	k := 0
	if x < 0x1p-1022 {
		k = -54
		x *= 0x1p54
	}
	bits := math.Float64bits(x)
	k += int(bits>>52) - 1023
	i := 0
	if k < 0 {
		i = 1
	}
	y := float64(k + i)
	x = math.Float64frombits(bits&(1<<52-1) | uint64(0x3ff-i)<<52)
	z := float64(y*rest) + float64(ivln10*Log(x))
	return z + float64(y*log10Of2)
}
