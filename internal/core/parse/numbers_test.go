package parse

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The answers are those of ZADD on a redis-server 7.0.15.
func TestParseFloat(t *testing.T) {
	for s, want := range map[string]float64{
		"0": 0, "-0": math.Copysign(0, -1), "1.": 1, ".1": .1, "+1": 1, "-1.5e3": -1500, "1e+5": 1e5, "1E5": 1e5,
		"0x10": 16, "0x.8": .5, "0X1P3": 8, "-0x1p-1": -.5, "inf": math.Inf(1), "INF": math.Inf(1),
		"+inf": math.Inf(1), "-Infinity": math.Inf(-1), "1e-320": 1e-320, "4e-324": 5e-324, "0e-400": 0, "0e400": 0,
		"0x0p-5000": 0, "0.0000e-999": 0, "1.7976931348623157e308": math.MaxFloat64,
	} {
		got, ok := Float(s)
		assert.True(t, ok, "%q", s)
		assert.Equal(t, want, got, "%q", s)
		assert.Equal(t, math.Signbit(want), math.Signbit(got), "%q", s)
	}
	for _, s := range []string{"", " 1", "1 ", "\t1", "1\x00", "\xa01", "nan", "NaN", "-nan", "nan(1)", "1e400", "-1e400",
		"1e-400", "2e-324", "1.7976931348623159e308", "0x1p2000", "0x1p-2000", "0x", "0x.", "0x.p1", "0x1p", "1e", "1e+", ".",
		"+", "-", "++1", "+-1", "1_0", "0x1_0", "infin", "1p3", "1,5", "a", "e5", "１"} {
		_, ok := Float(s)
		assert.False(t, ok, "%q", s)
	}
}

func TestParseCursor(t *testing.T) {
	for s, want := range map[string]uint64{"": 0, "0": 0, "+5": 5, "007": 7, "18446744073709551615": math.MaxUint64,
		"-1": math.MaxUint64, "-18446744073709551615": 1, "5\x00x": 5, "\x00": 0} {
		got, ok := Cursor(s)
		assert.True(t, ok, "%q", s)
		assert.Equal(t, want, got, "%q", s)
	}
	for _, s := range []string{" 0", "0 ", "+", "-", "--1", "+-1", "18446744073709551616", "0x10", "a", "1_0"} {
		_, ok := Cursor(s)
		assert.False(t, ok, "%q", s)
	}
}

func TestIsToken(t *testing.T) {
	assert.True(t, IsToken("MATCH", "match"))
	assert.True(t, IsToken("match\x00junk", "match"))
	assert.False(t, IsToken("matchx", "match"))
	assert.False(t, IsToken("matc", "match"))
	assert.False(t, IsToken("", "match"))
	assert.False(t, IsToken("ſync", "sync"))
}
