package numbers

import "math"

// pair is a number as the sum of two floats, the second far below the first: about 106 bits.
type pair struct{ hi, lo float64 }

// quickSum is a+b for |a| >= |b| or a = 0.
func quickSum(a, b float64) pair {
	s := a + b
	return pair{s, b - (s - a)}
}

func sum(a, b float64) pair {
	s := a + b
	t := s - a
	return pair{s, a - (s - t) + (b - t)}
}

func product(a, b float64) pair {
	p := float64(a * b)
	return pair{p, math.FMA(a, b, -p)}
}

func (a pair) plus(b pair) pair {
	s := sum(a.hi, b.hi)
	t := sum(a.lo, b.lo)
	s = quickSum(s.hi, s.lo+t.hi)
	return quickSum(s.hi, s.lo+t.lo)
}

func (a pair) minus(b pair) pair { return a.plus(pair{-b.hi, -b.lo}) }

func (a pair) times(b pair) pair {
	p := product(a.hi, b.hi)
	return quickSum(p.hi, math.FMA(a.hi, b.lo, math.FMA(a.lo, b.hi, p.lo)))
}

// over is a/b.
func (a pair) over(b pair) pair {
	q := a.hi / b.hi
	r := a.minus(b.times(pair{q, 0}))
	return quickSum(q, r.hi/b.hi)
}

// sinCos is the sine and the cosine of y for 0 <= y <= pi, to about 90 bits.
func sinCos(y pair) (sin, cos pair) {
	switch {
	case y.hi > 0.75*math.Pi:
		sin, cos = sinCos(pair{2 * halfPi, 2 * halfPiTail}.minus(y))
		return sin, pair{-cos.hi, -cos.lo}
	case y.hi > 0.25*math.Pi:
		y = pair{halfPi, halfPiTail}.minus(y)
		if y.hi < 0 {
			cos, sin = sinCos(pair{-y.hi, -y.lo})
			return sin, pair{-cos.hi, -cos.lo}
		}
		cos, sin = sinCos(y)
		return sin, cos
	}
	u := tableScale + y.hi
	t := &sines[uint32(math.Float64bits(u))]
	r := sum(y.hi-(u-tableScale), y.lo)
	r2 := r.times(r)
	x := r2.hi
	high := x * x * (1.0/120 - x*(1.0/5040-x*(1.0/362880)))
	sr := r.times(pair{1, 0}.minus(r2.times(pair{1.0 / 6, 0x1.5555555555555p-57})).plus(pair{high, 0}))
	high = x * x * (1.0/24 - x*(1.0/720-x*(1.0/40320)))
	cr := pair{1, 0}.minus(pair{r2.hi / 2, r2.lo / 2}).plus(pair{high, 0})
	s, c := pair{t.sin, t.sinTail}, pair{t.cos, t.cosTail}
	return s.times(cr).plus(c.times(sr)), c.times(cr).minus(s.times(sr))
}
