package numbers

import "math"

// Sqrt is C's sqrt.
func Sqrt(x float64) float64 {
	if x < 0 {
		return nan()
	}
	return math.Sqrt(x)
}

// Fmod is C's fmod.
func Fmod(x, y float64) float64 {
	switch {
	case math.IsNaN(x):
		return x
	case math.IsNaN(y):
		return y
	case math.IsInf(x, 0) || y == 0:
		return nan()
	}
	return math.Mod(x, y)
}

// Tan is C's tan.
func Tan(x float64) float64 {
	if math.IsInf(x, 0) || x != x {
		return notFinite(x)
	}
	return math.Tan(x)
}

// Asin is C's asin.
func Asin(x float64) float64 { return math.Asin(x) }

// Acos is C's acos.
func Acos(x float64) float64 { return math.Acos(x) }

// Atan is C's atan.
func Atan(x float64) float64 { return math.Atan(x) }

// Atan2 is C's atan2: the angle of the point (x, y).
func Atan2(y, x float64) float64 { return math.Atan2(y, x) }
