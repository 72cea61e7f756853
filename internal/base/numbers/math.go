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
