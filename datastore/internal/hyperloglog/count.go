package hyperloglog

import (
	"math"
	"strconv"
)

// A histogram is the number of registers with each count. A register has 6 bits, so a damaged one
// can be greater than maxCount.
type histogram [registerMax + 1]int

// Count estimates the number of elements of a valid text.
func Count(text string) (uint64, error) {
	var h histogram
	if !IsSparse(text) {
		for i := HeaderSize; i+2 < denseSize; i += 3 {
			a, b, c, d := four(text, i)
			h[a]++
			h[b]++
			h[c]++
			h[d]++
		}
		return h.estimate(), nil
	}
	h[0] = Registers
	err := sparseEach(text, func(_, run int, count uint8) {
		h[0] -= run
		h[count] += run
	})
	if err != nil {
		return 0, err
	}
	return h.estimate(), nil
}

// A Union holds the greatest count of each register of several texts. The zero value is empty.
type Union [Registers]uint8

// Add adds the registers of a valid text. On ErrCorrupted, the registers before the damage have
// been added.
func (u *Union) Add(text string) error {
	if IsSparse(text) {
		return sparseEach(text, func(index, run int, count uint8) {
			for k := range run {
				u[index+k] = max(u[index+k], count)
			}
		})
	}
	for i, index := HeaderSize, 0; index < Registers; i, index = i+3, index+4 {
		a, b, c, d := four(text, i)
		u := u[index : index+4]
		u[0], u[1], u[2], u[3] = max(u[0], a), max(u[1], b), max(u[2], c), max(u[3], d)
	}
	return nil
}

// Count estimates the number of elements.
func (u *Union) Count() uint64 {
	var h histogram
	for _, count := range u {
		h[count&registerMax]++
	}
	return h.estimate()
}

// estimate is Ertl's improved raw estimator. The float64 conversions round each product, so that
// machines with a fused multiply-add compute the same result.
func (h *histogram) estimate() uint64 {
	const m, half = float64(Registers), 0.721347520444481703680 // 1/(2 ln 2)
	z := m * tau((m-float64(h[maxCount]))/m)
	for count := maxCount - 1; count >= 1; count-- {
		z += float64(h[count])
		z *= 0.5
	}
	z += float64(m * sigma(float64(h[0])/m))
	n := half * m * m / z
	// only with damaged registers; Redis converts to a signed integer, which gives this
	if n >= 1<<63 {
		return 1 << 63
	}
	return uint64(math.Round(n))
}

func sigma(x float64) float64 {
	if x == 1 {
		return math.Inf(1)
	}
	y, z := 1.0, x
	for {
		x *= x
		old := z
		z += float64(x * y)
		y += y
		if z == old {
			return z
		}
	}
}

func tau(x float64) float64 {
	if x == 0 || x == 1 {
		return 0
	}
	y, z := 1.0, 1-x
	for {
		x = math.Sqrt(x)
		old := z
		y *= 0.5
		z -= float64(float64((1-x)*(1-x)) * y)
		if z == old {
			return z / 3
		}
	}
}

// Opcodes lists the opcodes of a valid sparse form in readable form: z is ZERO, Z is XZERO, v is
// VAL with count and run.
func Opcodes(text string) string {
	var b []byte
	for i := HeaderSize; i < len(text); {
		o := opAt(text, i)
		switch {
		case o.count > 0:
			b = append(b, "v:"...)
			b = strconv.AppendInt(b, int64(o.count), 10)
			b = append(b, ',')
		case o.size == 1:
			b = append(b, "z:"...)
		default:
			b = append(b, "Z:"...)
		}
		b = strconv.AppendInt(b, int64(o.run), 10)
		if i += o.size; i < len(text) {
			b = append(b, ' ')
		}
	}
	return string(b)
}
