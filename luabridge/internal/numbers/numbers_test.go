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
	f, _ = Parse("-nan")
	assert.Equal(t, uint64(0xfff8<<48), math.Float64bits(f))
}
