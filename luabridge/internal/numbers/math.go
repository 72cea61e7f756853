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

func Log(x float64) float64      { return math.Log(x) }
func Log10(x float64) float64    { return math.Log10(x) }
func Sin(x float64) float64      { return math.Sin(x) }
func Cos(x float64) float64      { return math.Cos(x) }
func Tan(x float64) float64      { return math.Tan(x) }
func Asin(x float64) float64     { return math.Asin(x) }
func Acos(x float64) float64     { return math.Acos(x) }
func Atan(x float64) float64     { return math.Atan(x) }
func Atan2(x, y float64) float64 { return math.Atan2(x, y) }
