package numbers

import (
	"math"
	"strconv"
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

// The results are those of glibc 2.36.
func TestPow(t *testing.T) {
	for _, c := range []struct{ x, y, want float64 }{
		{2, 10, 1024}, {3, -1, 0x1.5555555555555p-2}, {10, 15, 1e15}, {10, -5, 1e-5}, {3, 0.5, 0x1.bb67ae8584caap+00},
		{3, -0.5, 0x1.279a74590331cp-01}, {-2, 3, -8}, {-2, 4, 16}, {2, 1024, math.Inf(1)}, {-2, 1025, math.Inf(-1)}, {2, -1075, 0},
		{2, -1074, 5e-324}, {1.1, 100, 0x1.aea4e6126bb95p+13}, {5e-324, 0.5, 0x1p-537},
		{0, -1, math.Inf(1)}, {1, math.Inf(1), 1}, {-1, math.Inf(1), 1},
		{math.NaN(), 0, 1}, {0.5, math.Inf(-1), math.Inf(1)}, {-0.5, math.Inf(1), 0}, {-8, -1, -0.125},
	} {
		assert.Equal(t, c.want, Pow(c.x, c.y), "%v ^ %v", c.x, c.y)
	}
	negative := math.Float64bits(Pow(-8, 1.0/3)) // the nan of an invalid operation
	assert.Equal(t, uint64(0xfff8<<48), negative)
}

// The results are those of glibc 2.36.
func TestElementaryFunctions(t *testing.T) {
	for _, c := range []struct {
		name    string
		f       func(float64) float64
		x, want float64
	}{
		{"exp", Exp, 1, 0x1.5bf0a8b145769p+1},
		{"exp", Exp, -0.3, 0x1.7b4c869c37c05p-1},
		{"exp", Exp, 10.5, 0x1.1bb7015e84d3bp+15},
		{"exp", Exp, 709.5, 0x1.81e9b4b52d0c9p+1023},
		{"exp", Exp, -653.7155302073359, 0x1.d9b49776238d1p-944},
		{"exp", Exp, -745, 0x0.0000000000001p-1022},
		{"log", Log, 2, 0x1.62e42fefa39efp-1},
		{"log", Log, 10, 0x1.26bb1bbb55516p+1},
		{"log", Log, 0.97, -0x1.f30b2d0091d8ap-6},
		{"log", Log, 1.05, 0x1.8fb063ef2c7f0p-5},
		{"log", Log, 1e+300, 0x1.5963447f87fb5p+9},
		{"log", Log, 5e-324, -0x1.74385446d71c3p+9},
		{"log10", Log10, 2, 0x1.34413509f79ffp-2},
		{"log10", Log10, 1000.0, 0x1.8000000000000p+1},
		{"log10", Log10, 0.3, -0x1.0bb6c34d81502p-1},
		{"sin", Sin, 0.1, 0x1.98eaecb8bcb2cp-4},
		{"sin", Sin, 0.5, 0x1.eaee8744b05f0p-2},
		{"sin", Sin, 1.5, 0x1.feb7a9b2c6d8bp-1},
		{"sin", Sin, 3, 0x1.210386db6d55bp-3},
		{"sin", Sin, 100, -0x1.03425b78c4db8p-1},
		{"sin", Sin, 1e+22, -0x1.b453ab76bf397p-1},
		{"sin", Sin, 1e+300, -0x1.a2c16b010e385p-1},
		{"sin", Sin, -2, -0x1.d18f6ead1b446p-1},
		{"cos", Cos, 0.1, 0x1.fd712f9a817c1p-1},
		{"cos", Cos, 0.5, 0x1.c1528065b7d50p-1},
		{"cos", Cos, 1.5, 0x1.21bd54fc5f9a7p-4},
		{"cos", Cos, 3, -0x1.fae04be85e5d2p-1},
		{"cos", Cos, 100, 0x1.b981dbf665fdfp-1},
		{"cos", Cos, 1e+22, 0x1.0be2cef01c8f4p-1},
		{"cos", Cos, 2.4, -0x1.798bab490d185p-1},
		{"sinh", Sinh, 0.3, 0x1.37d42af54b926p-2},
		{"sinh", Sinh, 1.5, 0x1.108c3aabd6a60p+1},
		{"sinh", Sinh, 30, 0x1.370470aec28edp+42},
		{"sinh", Sinh, 710, 0x1.3e21a464507fap+1023},
		{"cosh", Cosh, 0.2, 0x1.0523184b1ee9dp+0},
		{"cosh", Cosh, 1.5, 0x1.2d1bc21e22022p+1},
		{"cosh", Cosh, 30, 0x1.370470aec28edp+42},
		{"cosh", Cosh, 710, 0x1.3e21a464507fap+1023},
		{"tanh", Tanh, 0.1, 0x1.983d7795f413ap-4},
		{"tanh", Tanh, 0.9, 0x1.6ebe982d6605dp-1},
		{"tanh", Tanh, 3, 0x1.fd77d111a0b00p-1},
		{"tan", Tan, 0.1, 0x1.9af8877430b80p-4},
		{"tan", Tan, 1, 0x1.8eb245cbee3a6p+0},
		{"tan", Tan, 1.5, 0x1.c33ed50b88777p+3},
		{"tan", Tan, 3, -0x1.23ef71254b86fp-3},
		{"tan", Tan, 100, -0x1.2ca74d62b5d38p-1},
		{"tan", Tan, 1e+22, -0x1.a0f79c1b6b257p+0},
		{"asin", Asin, 0.1, 0x1.9a49276037884p-4},
		{"asin", Asin, 0.5, 0x1.0c152382d7366p-1},
		{"asin", Asin, 0.9, 0x1.1ea93705fa172p+0},
		{"asin", Asin, 1, 0x1.921fb54442d18p+0},
		{"acos", Acos, 0.1, 0x1.787b22ce3f590p+0},
		{"acos", Acos, 0.5, 0x1.0c152382d7366p+0},
		{"acos", Acos, 0.9, 0x1.cdd9f8f922e98p-2},
		{"acos", Acos, -1, 0x1.921fb54442d18p+1},
		{"acos", Acos, 0.999999, 0x1.72ba46065af16p-10},
		{"atan", Atan, 0.1, 0x1.983e282e2cc4dp-4},
		{"atan", Atan, 0.5, 0x1.dac670561bb4fp-2},
		{"atan", Atan, 1, 0x1.921fb54442d18p-1},
		{"atan", Atan, 5, 0x1.5f97315254857p+0},
		{"atan", Atan, 10000000000.0, 0x1.921fb543d4de0p+0},
	} {
		assert.Equal(t, c.want, c.f(c.x), "%s(%v)", c.name, c.x)
	}
}

// Integers are formatted by a faster path, with the same result.
func TestWholeNumbersOfManyDigits(t *testing.T) {
	for _, s := range []string{
		"99999999999999", "100000000000000", "1769860800000123", "9007199254740991", "9007199254740992", "9007199254740993",
		"99999999999999999", "100000000000000001", "999999999999999999", "9223372036854775807", "18446744073709551615",
	} {
		want, err := strconv.ParseFloat(s, 64)
		assert.NoError(t, err)
		got, ok := Parse(s)
		assert.True(t, ok)
		assert.Equal(t, want, got, s)
	}
	for text, f := range map[string]float64{
		"99999999999999": 99999999999999, "100000000000000": 1e14, "-1769860800000123": -1769860800000123,
		"99999999999999984": 99999999999999984, "1e+17": 1e17, "-0": math.Copysign(0, -1), "0": 0,
	} {
		assert.Equal(t, text, string(Append(nil, f, 17)))
	}
}
