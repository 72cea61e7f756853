package numbers

import "math"

//go:generate go run gentables.go

// The exponential and power functions follow the published algorithm of Arm's optimized routines,
// which glibc has used since 2.28, with its rounding steps on a processor with fused multiply-add.
// Every operation matters: the result must be the same float, not one of the same quality.

// Mod is the % operator: a - floor(a/b)*b, which gives nan for an infinite b.
func Mod(a, b float64) float64 {
	// The conversion prevents the compiler from fusing the operations.
	return a - float64(math.Floor(a/b)*b)
}

// nan returns the result of an invalid operation on amd64: the sign and the first bit of the
// fraction are set.
func nan() float64 { return math.Float64frombits(0xfff8 << 48) }

const (
	tableBits = 7
	tableSize = 1 << tableBits

	signBit = 1 << 63
	infBits = 0x7ff << 52
	oneBits = 0x3ff << 52
)

// top returns the sign and exponent.
func top(f float64) uint32 { return uint32(math.Float64bits(f) >> 52) }

// Pow is C's pow, the ^ operator.
func Pow(x, y float64) float64 {
	ix, iy := math.Float64bits(x), math.Float64bits(y)
	topx, topy := uint32(ix>>52), uint32(iy>>52)
	bias := uint64(0)
	if topx-1 >= 0x7ff-1 || topy&0x7ff-0x3be >= 0x43e-0x3be {
		// x is negative, zero, subnormal, inf or nan, or y is tiny, huge or nan.
		if result, special := powSpecial(x, y, ix, iy); special {
			return result
		}
		if ix&signBit != 0 {
			if odd, _ := oddInt(iy); odd {
				bias = 1 << (11 + tableBits)
			}
			ix &^= signBit
			topx &= 0x7ff
		}
		if topy&0x7ff-0x3be >= 0x43e-0x3be {
			switch {
			case ix == oneBits || topy&0x7ff < 0x3be:
				return 1
			case (ix > oneBits) == (topy < 0x800):
				return math.Inf(1)
			}
			return 0
		}
		if topx == 0 {
			ix = math.Float64bits(math.Float64frombits(ix)*0x1p52) - 52<<52
		}
	}
	hi, lo := powLog(ix)
	ehi := y * hi
	elo := math.FMA(y, lo, math.FMA(y, hi, -ehi))
	return powExp(ehi, elo, bias)
}

// powSpecial handles the cases that x or y is zero, inf or nan, or that the result is not real.
func powSpecial(x, y float64, ix, iy uint64) (float64, bool) {
	zeroInfNaN := func(i uint64) bool { return 2*i-1 >= 2*infBits-1 }
	switch {
	case zeroInfNaN(iy):
		switch {
		case 2*iy == 0 || ix == oneBits:
			return 1, true
		case 2*ix > 2*infBits || 2*iy > 2*infBits:
			return x + y, true
		case 2*ix == 2*oneBits:
			return 1, true
		case (2*ix < 2*oneBits) == (iy&signBit == 0):
			return 0, true // |x| < 1 and y is inf, or |x| > 1 and y is -inf
		}
		return y * y, true
	case zeroInfNaN(ix):
		square := x * x
		if odd, _ := oddInt(iy); odd && ix&signBit != 0 {
			square = -square
		}
		if iy&signBit != 0 {
			return 1 / square, true
		}
		return square, true
	case ix&signBit != 0:
		if _, whole := oddInt(iy); !whole {
			return nan(), true
		}
	}
	return 0, false
}

// oddInt reports whether a finite float is an odd integer, and whether it is an integer.
func oddInt(i uint64) (odd, whole bool) {
	e := int(i >> 52 & 0x7ff)
	switch {
	case e < 0x3ff:
		return false, false
	case e > 0x3ff+52:
		return false, true
	}
	bit := uint64(1) << (0x3ff + 52 - e)
	if i&(bit-1) != 0 {
		return false, false
	}
	return i&bit != 0, true
}

const (
	ln2Hi = 0x1.62e42fefa3800p-1
	ln2Lo = 0x1.ef35793c76730p-45
)

// powLog is log x as the sum of two floats; ix are the bits of x, normalised.
func powLog(ix uint64) (hi, lo float64) {
	const start = 0x3fe6955500000000
	tmp := ix - start
	t := &powLogs[tmp>>(52-tableBits)%tableSize]
	kd := float64(int64(tmp) >> 52)
	z := math.Float64frombits(ix - tmp&(0xfff<<52))

	r := math.FMA(z, t.invc, -1)
	t1 := math.FMA(kd, ln2Hi, t.logc)
	t2 := t1 + r
	lo1 := math.FMA(kd, ln2Lo, t.tail)
	lo2 := t1 - t2 + r

	ar := -0.5 * r
	ar2 := float64(r * ar)
	ar3 := r * ar2
	hi = t2 + ar2
	lo3 := math.FMA(ar, r, -ar2)
	lo4 := t2 - hi + ar2
	p := math.FMA(r, 0x1.0002b8b263fc3p0, -0x1.2495b9b4845e9p0)
	p = math.FMA(ar2, p, math.FMA(r, -0x1.555555529a47ap-1, 0x1.999999959554ep-1))
	p = math.FMA(ar2, p, math.FMA(r, 0x1.0000000000006p-1, -0x1.555555555556p-1))
	lo = math.FMA(ar3, p, lo1+lo2+lo3+lo4)
	y := hi + lo
	return y, hi - y + lo
}

const (
	invLn2N   = 0x1.71547652b82fep+7
	negLn2HiN = -0x1.62e42fefa0000p-8
	negLn2LoN = -0x1.cf79abc9e3b3ap-47
	toInt     = 0x1.8p52 // adding it rounds to an integer and puts that into the low bits

	exp2 = 0x1.ffffffffffdbdp-2
	exp3 = 0x1.555555555543cp-3
	exp4 = 0x1.55555cf172b91p-5
	exp5 = 0x1.1111167a4d017p-7
)

// powExp is e^(x+tail), negated if bias is not 0.
func powExp(x, tail float64, bias uint64) float64 {
	sign := func(f float64) float64 {
		if bias != 0 {
			return -f
		}
		return f
	}
	abstop := top(x) & 0x7ff
	special := false
	if abstop-0x3c9 >= 0x408-0x3c9 {
		switch {
		case abstop < 0x3c9:
			return sign(1 + x)
		case abstop >= 0x409 && math.Signbit(x):
			return sign(0)
		case abstop >= 0x409:
			return sign(math.Inf(1))
		}
		special = true
	}
	return expScaled(x, tail, bias, special)
}

// expScaled computes 2^(k/128) * e^r with x+tail = k*ln2/128 + r. special: the scale may be out of
// range of a float although the result may be in range.
func expScaled(x, tail float64, bias uint64, special bool) float64 {
	kd := math.FMA(invLn2N, x, toInt)
	ki := math.Float64bits(kd)
	kd -= toInt
	r := math.FMA(kd, negLn2LoN, math.FMA(kd, negLn2HiN, x))
	r += tail
	i := 2 * (ki % tableSize)
	scaleBits := exponents[i+1] + (ki+bias)<<(52-tableBits)
	r2 := float64(r * r)
	p := math.FMA(r2, math.FMA(r, exp3, exp2), math.Float64frombits(exponents[i])+r)
	p = math.FMA(float64(r2*r2), math.FMA(r, exp5, exp4), p)
	if special {
		return expSpecial(p, scaleBits, ki)
	}
	scale := math.Float64frombits(scaleBits)
	return math.FMA(scale, p, scale)
}

func expSpecial(p float64, scaleBits, ki uint64) float64 {
	if ki&0x80000000 == 0 { // the scale may have overflowed
		scale := math.Float64frombits(scaleBits - 1009<<52)
		return 0x1p1009 * math.FMA(scale, p, scale)
	}
	scaleBits += 1022 << 52 // the result may be subnormal: round once
	scale := math.Float64frombits(scaleBits)
	product := float64(scale * p)
	y := scale + product
	if math.Abs(y) < 1 {
		one := math.Copysign(1, y)
		lo := scale - y + product
		hi := one + y
		lo = one - hi + y + lo
		y = hi + lo - one
		if y == 0 {
			y = math.Float64frombits(scaleBits & signBit)
		}
	}
	return 0x1p-1022 * y
}
