package numbers

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestText(t *testing.T) {
	for want, f := range map[string]float64{
		"0": 0, "-0": math.Copysign(0, -1), "1": 1, "0.33333333333333": 1.0 / 3, "1e+14": 1e14, "99999999999999": 99999999999999,
		"1e-05": 1e-5, "0.0001": 0.0001, "inf": math.Inf(1), "-inf": math.Inf(-1), "9.007199254741e+15": 1 << 53,
	} {
		assert.Equal(t, want, Text(f))
	}
	assert.Equal(t, "0.10000000000000001", string(Append(nil, 0.1, 17)))
	assert.Equal(t, "9007199254740992", string(Append(nil, 1<<53, 17)))
}

func TestParse(t *testing.T) {
	for s, want := range map[string]float64{
		"10": 10, " 10\n": 10, "0x10": 16, "-0x1p4": -16, "1e3": 1000, "010": 10, ".5": 0.5, "5.": 5, "inf": math.Inf(1),
		"1\x00junk": 1, "1e400": math.Inf(1),
	} {
		got, ok := Parse(s)
		assert.True(t, ok, s)
		assert.Equal(t, want, got, s)
	}
	for _, s := range []string{"", " ", "0x", "1a", "1 2", "e5", ".", "--1", "1e", "1e+"} {
		_, ok := Parse(s)
		assert.False(t, ok, s)
	}
}

func TestNanHasTheBitsOfC(t *testing.T) {
	f, _ := Parse("nan")
	assert.Equal(t, uint64(0x7ff8<<48), math.Float64bits(f))
	for text, low := range map[string]uint64{"nan(5)": 5, "nan(0x1f)": 0x1f, "NAN(010)": 8, "nan(x_1)": 0, "nan()": 0} {
		f, ok := Parse(text)
		assert.True(t, ok, text)
		assert.Equal(t, 0x7ff8<<48|low, math.Float64bits(f), text)
	}
	_, n := Prefix("nan(1")
	assert.Equal(t, 3, n)
	f, _ = Parse("-nan")
	assert.Equal(t, uint64(0xfff8<<48), math.Float64bits(f))
}

func TestMod(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct{ a, b, want float64 }{
		{5, 3, 2}, {-5, 3, 1}, {5, -3, -1}, {-5, -3, -2}, {5.5, 2, 1.5}, {0, 5, 0}, {1e300, 3, 0},
	} {
		assert.Equal(t, c.want, Mod(c.a, c.b), "%v %% %v", c.a, c.b)
	}
	for _, c := range [][2]float64{{5, inf}, {5, 0}, {inf, 2}, {-5, inf}} {
		assert.True(t, math.IsNaN(Mod(c[0], c[1])), "%v %% %v", c[0], c[1])
	}
}

// The results were read off glibc 2.36.
func TestPow(t *testing.T) {
	for _, c := range []struct{ x, y, want float64 }{
		{2, 10, 1024}, {3, -1, 0x1.5555555555555p-2}, {10, 15, 1e15}, {10, -5, 1e-5}, {3, 0.5, 0x1.bb67ae8584caap+00},
		{3, -0.5, 0x1.279a74590331cp-01}, {-2, 3, -8}, {-2, 4, 16}, {2, 1024, math.Inf(1)}, {-2, 1025, math.Inf(-1)}, {2, -1075, 0},
		{2, -1074, 5e-324}, {1.1, 100, 0x1.aea4e6126bb95p+13}, {5e-324, 0.5, 0x1p-537}, {0, -1, math.Inf(1)}, {1, math.Inf(1), 1}, {-1, math.Inf(1), 1},
		{math.NaN(), 0, 1}, {0.5, math.Inf(-1), math.Inf(1)}, {-0.5, math.Inf(1), 0}, {-8, -1, -0.125},
	} {
		assert.Equal(t, c.want, Pow(c.x, c.y), "%v ^ %v", c.x, c.y)
	}
	negative := math.Float64bits(Pow(-8, 1.0/3)) // the nan of an invalid operation
	assert.Equal(t, uint64(0xfff8<<48), negative)
}
